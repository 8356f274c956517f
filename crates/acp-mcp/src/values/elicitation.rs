//! Questions of a server for the user.

use acp_types::v1::{self, ElicitationAction, ElicitationSchema, ToolCallId};
use futures_util::future::BoxFuture;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction as McpAction, ElicitationCapability, ErrorData,
    FormElicitationCapability, UrlElicitationCapability,
};
use serde_json::Value;

/// Asks the user on behalf of MCP servers. An agent has its client ask (`elicitation/create` of
/// ACP).
///
/// A legacy server may answer a call only after the user has visited web pages (-32042). The user
/// is asked here for these visits, too, and the server gets the call again after the user has
/// agreed.
///
/// A session with an `Elicitation` declares the capability `elicitation` to servers, with the modes
/// that it supports. An empty capability means `form` in MCP, and nothing in ACP.
pub trait Elicitation: Send + Sync + 'static {
    /// Returns the kinds of questions that can be asked. They are declared to servers, and a
    /// question of another kind is refused.
    fn modes(&self) -> ElicitationModes;

    /// Asks the user. The server checks the answer. `Cancel` stands for a user who was not reached.
    fn elicit(&self, request: ElicitRequest) -> BoxFuture<'_, ElicitationAction>;
}

/// The kinds of questions that can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ElicitationModes {
    /// A form to fill in.
    pub form: bool,
    /// A web page to visit.
    pub url: bool,
}

impl ElicitationModes {
    /// Creates a choice of kinds.
    #[must_use]
    pub const fn new(form: bool, url: bool) -> Self {
        Self { form, url }
    }

    pub(crate) fn capability(self) -> Option<ElicitationCapability> {
        let mut capability = ElicitationCapability::new();
        if self.form {
            capability = capability.with_form(FormElicitationCapability::new());
        }
        if self.url {
            capability = capability.with_url(UrlElicitationCapability::new());
        }
        (self.form || self.url).then_some(capability)
    }
}

/// A question of a server for the user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElicitRequest {
    /// The name of the server that asks. Users should see it.
    pub server: String,
    /// The tool call that the question comes from, if that is known.
    pub tool_call: Option<ToolCallId>,
    /// The words of the server.
    pub message: String,
    /// The kind of the question.
    pub mode: ElicitMode,
}

/// The kind of a question, and its content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitMode {
    /// A form with these fields.
    Form(Box<ElicitationSchema>),
    /// A web page to visit.
    Url {
        /// The address of the page.
        url: String,
        /// The server's id of the question.
        id: String,
    },
}

impl ElicitRequest {
    /// Converts the question into one for a client of ACP, in this scope.
    #[must_use]
    pub fn to_acp(&self, scope: impl Into<v1::ElicitationScope>) -> v1::CreateElicitationRequest {
        let mode: v1::ElicitationMode = match &self.mode {
            ElicitMode::Form(schema) => v1::ElicitationFormMode::new((**schema).clone(), scope).into(),
            ElicitMode::Url { url, id } => v1::ElicitationUrlMode::new(id.as_str(), url, scope).into(),
        };
        v1::CreateElicitationRequest::new(&self.message, mode)
    }

    pub(crate) fn read(
        server: &str,
        tool_call: Option<ToolCallId>,
        params: ElicitRequestParams,
    ) -> Result<Self, ErrorData> {
        let invalid = || ErrorData::invalid_params("`requestedSchema` is not the schema of a form", None);
        let (message, mode) = match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = serde_json::to_string(&requested_schema).map_err(|_| invalid())?;
                let schema = acp_json::from_str::<ElicitationSchema>(&schema).map_err(|_| invalid())?;
                (message, ElicitMode::Form(Box::new(schema)))
            }
            ElicitRequestParams::UrlElicitationParams { message, url, elicitation_id, .. } => {
                (message, ElicitMode::Url { url, id: elicitation_id })
            }
            _ => return Err(ErrorData::invalid_params("a question of an unknown mode", None)),
        };
        Ok(Self { server: server.to_owned(), tool_call, message, mode })
    }
}

/// Asks the user a question of a server, if its kind was declared.
pub(crate) async fn ask(
    elicitation: Option<&dyn Elicitation>,
    server: &str,
    tool_call: Option<ToolCallId>,
    params: ElicitRequestParams,
) -> Result<ElicitResult, ErrorData> {
    let request = ElicitRequest::read(server, tool_call, params)?;
    let modes = elicitation.map(Elicitation::modes).unwrap_or_default();
    let is_offered = match request.mode {
        ElicitMode::Form(_) => modes.form,
        ElicitMode::Url { .. } => modes.url,
    };
    match elicitation {
        Some(elicitation) if is_offered => Ok(answer(elicitation.elicit(request).await)),
        _ => Err(ErrorData::invalid_params("a question of a mode that was not declared", None)),
    }
}

fn answer(action: ElicitationAction) -> ElicitResult {
    match action {
        ElicitationAction::Accept(accepted) => {
            let result = ElicitResult::new(McpAction::Accept);
            let content = accepted.content.and_then(|content| serde_json::to_value(content).ok());
            match content {
                Some(content @ Value::Object(_)) => result.with_content(content),
                _ => result,
            }
        }
        ElicitationAction::Decline => ElicitResult::new(McpAction::Decline),
        _ => ElicitResult::new(McpAction::Cancel),
    }
}
