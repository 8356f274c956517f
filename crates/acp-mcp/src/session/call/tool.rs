//! The request `tools/call`.

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, JsonObject, ServerResult};
use serde_json::Value;

use super::caller::{Caller, OTHER_TYPE};
use super::options::CallOptions;
use crate::error::McpError;
use crate::values::tool_outcome::ToolOutcome;

impl Caller<'_> {
    pub(in crate::session) async fn call_tool(
        &self,
        tool: &str,
        arguments: Option<JsonObject>,
        options: &CallOptions,
    ) -> Result<ToolOutcome, McpError> {
        const METHOD: &str = "tools/call";
        let result = self.answered(METHOD, options, |responses, state| {
            let mut params = CallToolRequestParams::new(tool.to_owned());
            params.arguments.clone_from(&arguments);
            (params.input_responses, params.request_state) = (responses, state);
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        });
        match result.await? {
            ServerResult::CallToolResult(result) => ToolOutcome::of(&result),
            ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
                ToolOutcome::read(&Value::Object(JsonObject::new()))
            }
            // A result with blocks that rmcp does not know.
            ServerResult::CustomResult(result) if is_complete(&result.0) => ToolOutcome::read(&result.0),
            _ => Err(McpError::InvalidResult { method: METHOD, problem: OTHER_TYPE }),
        }
    }
}

fn is_complete(result: &Value) -> bool {
    matches!(result.get("resultType").map(Value::as_str), None | Some(Some("complete")))
}
