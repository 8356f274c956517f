//! Calls that a modern server answers only after it has asked for input.

use rmcp::model::{ClientRequest, InputRequest, InputRequiredResult, InputResponses, ServerResult};

use super::caller::Caller;
use super::options::CallOptions;
use crate::error::McpError;
use crate::values::elicitation;

/// The number of times that a server may ask for input before it answers a call.
const MOST_ROUNDS: usize = 10;

impl Caller<'_> {
    /// Sends a request until the server has all the input that it wants. `make` creates the request
    /// from the answers of the user and the state of the server.
    pub(in crate::session) async fn answered(
        &self,
        method: &'static str,
        options: &CallOptions,
        make: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<ServerResult, McpError> {
        let (mut responses, mut state) = (None, None);
        for _ in 0..MOST_ROUNDS {
            match self.request_with_consent(method, make(responses, state), options).await? {
                ServerResult::InputRequiredResult(required) => {
                    (responses, state) = self.fulfil(required, options).await?;
                }
                result => return Ok(result),
            }
        }
        Err(McpError::InvalidResult { method, problem: "it asks for input too often" })
    }

    /// Asks the user for the input that the server wants.
    async fn fulfil(
        &self,
        required: InputRequiredResult,
        options: &CallOptions,
    ) -> Result<(Option<InputResponses>, Option<String>), McpError> {
        let mut responses = InputResponses::new();
        for (key, request) in required.input_requests.into_iter().flatten() {
            let InputRequest::Elicitation(request) = request else {
                return Err(McpError::MissingClientCapability {
                    required: vec!["sampling or roots".to_owned()],
                });
            };
            let elicitation = self.shared.options.elicitation.as_deref();
            let asked =
                elicitation::ask(elicitation, &self.entry.name, options.tool_call.clone(), request.params)
                    .await;
            let answer = asked.map_err(|_| McpError::MissingClientCapability {
                required: vec!["elicitation".to_owned()],
            })?;
            responses.insert(key, serde_json::to_value(answer).unwrap_or_default());
        }
        Ok(((!responses.is_empty()).then_some(responses), required.request_state))
    }
}
