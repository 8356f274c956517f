//! Calls of tools, and every other request.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::ToolCallId;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientNotification, ClientRequest, ErrorData, InputRequest, InputRequiredResult, InputResponses,
    JsonObject, RequestId, ResultType, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};
use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::authorize::Attempts;
use super::{consent, hints};
use crate::error::McpError;
use crate::error::NotVisited;
use crate::negotiate::{Fault, Verdict};
use crate::session::keep::listing;
use crate::session::state::entry::{Connection, Entry};
use crate::session::{McpSession, Shared};
use crate::values::elicitation;
use crate::values::timeouts::NEVER;
use crate::values::tool_outcome::ToolOutcome;
use crate::values::version::Era;
use crate::wire::progress::{OnProgress, Progress};

/// How often a server may ask for input before it answers a call.
const MOST_ROUNDS: usize = 10;
const OTHER_TYPE: &str = "its `resultType` is not one that was agreed on";

/// How a tool is called.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// Cancels the call; an agent gives it the token of the turn.
    pub cancel: Option<CancellationToken>,
    /// Instead of [`Timeouts::request`](crate::Timeouts::request).
    pub timeout: Option<Duration>,
    /// The tool call of ACP that this is, for questions that the server has meanwhile.
    pub tool_call: Option<ToolCallId>,
    on_progress: Option<OnProgress>,
}

impl CallOptions {
    /// Nothing special.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`cancel`](Self::cancel).
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub const fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Sets [`tool_call`](Self::tool_call).
    #[must_use]
    pub fn tool_call(mut self, id: impl Into<ToolCallId>) -> Self {
        self.tool_call = Some(id.into());
        self
    }

    /// Is told how far the call is. It must not block.
    #[must_use]
    pub fn on_progress(mut self, on_progress: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(on_progress));
        self
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl McpSession {
    /// Calls a tool by its [qualified name](crate::QualifiedTool::name). The arguments are a JSON object, or nothing.
    ///
    /// A server that is being started is waited for, as is the list when the name is not known yet. Questions that the server has for the user go to the
    /// session's [`Elicitation`](crate::Elicitation). Dropping the future cancels the call.
    ///
    /// A tool that fails is no error: see [`ToolOutcome::is_error`].
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`], [`McpError::Arguments`], the failure of the server, also after it was given up, what it answers,
    /// [`McpError::Timeout`] and [`McpError::Cancelled`].
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Serialize,
        options: CallOptions,
    ) -> Result<ToolOutcome, McpError> {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => Some(arguments),
            Ok(Value::Null) => None,
            _ => return Err(McpError::Arguments { tool: name.to_owned() }),
        };
        let call = self.call(name, arguments, &options);
        match &options.cancel {
            None => call.await,
            Some(cancel) => tokio::select! {
                biased;
                outcome = call => outcome,
                () = cancel.cancelled() => Err(McpError::Cancelled),
            },
        }
    }

    async fn call(
        &self,
        name: &str,
        arguments: Option<JsonObject>,
        options: &CallOptions,
    ) -> Result<ToolOutcome, McpError> {
        let mut tool = self.tool(name);
        if tool.is_none() {
            // Its server may be on its way.
            for entry in &self.inner.entries {
                entry.listed().await;
            }
            tool = self.tool(name);
        }
        let entry = tool.as_ref().and_then(|tool| self.inner.entries.get(tool.index));
        let (Some(tool), Some(entry)) = (&tool, entry) else {
            let lost = self.inner.entries.iter().find_map(|entry| entry.lost(name));
            return Err(lost.unwrap_or_else(|| McpError::UnknownTool { name: name.to_owned() }));
        };
        let (tool, shared) = (&*tool.tool.name, &*self.inner.shared);
        let mut connection = entry.connection(0).await?;
        let caller = Caller { entry, shared, connection: &connection };
        match caller.call_tool(tool, arguments.clone(), options).await {
            // The list that the headers were made from may be old: `mcp-neg-42`.
            Err(McpError::HeaderMismatch) => {
                listing::list(entry, shared, &connection).await?;
            }
            // The server was replaced by another version: `mcp-neg-07`, once more.
            Err(McpError::NoCommonVersion { .. }) => {
                entry.reconnect.notify_one();
                connection = entry.connection(connection.number).await?;
            }
            outcome => return outcome,
        }
        Caller { entry, shared, connection: &connection }.call_tool(tool, arguments, options).await
    }
}

/// Sends requests over a connection.
pub(in crate::session) struct Caller<'a> {
    pub(in crate::session) entry: &'a Entry,
    pub(in crate::session) shared: &'a Shared,
    pub(in crate::session) connection: &'a Connection,
}

impl Caller<'_> {
    async fn call_tool(
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
            // Blocks of a kind that is not known here.
            ServerResult::CustomResult(result) if is_complete(&result.0) => ToolOutcome::read(&result.0),
            _ => Err(McpError::InvalidResult { method: METHOD, problem: OTHER_TYPE }),
        }
    }

    /// A request until the server has all the input that it wants: `make` makes it, with the answers of the user and the
    /// server's own state.
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
        Err(McpError::InvalidResult { method, problem: "it asks for input again and again" })
    }

    /// Has the user answer what the server wants to know.
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

    /// One request; made once more after an authorization that the server wants.
    pub(in crate::session) async fn request(
        &self,
        method: &'static str,
        request: ClientRequest,
        options: &CallOptions,
    ) -> Result<ServerResult, McpError> {
        let mut attempts = Attempts::new(self.entry, &self.shared.options.timeouts);
        while attempts.may_be_more() {
            match self.request_once(method, request.clone(), options).await {
                Err(error) => attempts.after(error).await?,
                result => return result,
            }
        }
        self.request_once(method, request, options).await
    }

    /// One request, with its time limits, progress and cancellation.
    async fn request_once(
        &self,
        method: &'static str,
        mut request: ClientRequest,
        options: &CallOptions,
    ) -> Result<ServerResult, McpError> {
        let on_progress = options.on_progress.as_ref();
        let _progress = on_progress.map(|on_progress| self.entry.progress.add(&mut request, on_progress));
        let timeouts = &self.shared.options.timeouts;
        // rmcp adds it to a point in time.
        let time = options.timeout.unwrap_or(timeouts.request).min(NEVER);
        let limits = PeerRequestOptions::with_timeout(time)
            .reset_timeout_on_progress()
            .with_max_total_timeout(timeouts.request_max.max(time));
        let peer = &self.connection.peer;
        let sent = peer.send_request_with_option(request, limits).await;
        let answer = match sent {
            Ok(handle) => {
                let mut abandoned = Abandoned { peer, id: Some(handle.id.clone()) };
                let answer = handle.await_response().await;
                abandoned.id = None;
                answer
            }
            Err(error) => Err(error),
        };
        match answer {
            // A result of another type than was agreed on is none: `mcp-neg-12`, `-22`.
            Ok(result) if result_type(&result).is_some_and(|kind| !kind.is_complete()) => {
                Err(McpError::InvalidResult { method, problem: OTHER_TYPE })
            }
            Ok(result) => {
                hints::check(self.entry, self.connection, method, &result);
                Ok(result)
            }
            Err(error) => Err(self.error(method, error).await),
        }
    }

    pub(in crate::session) async fn error(&self, method: &'static str, error: ServiceError) -> McpError {
        match error {
            ServiceError::McpError(error) => of_fault(method, self.connection.info.era, error),
            ServiceError::Timeout { timeout } => McpError::Timeout { waiting_for: method, waited: timeout },
            ServiceError::TransportSend(error) => of_transport(method, error.error.as_ref()),
            ServiceError::TransportClosed => self.entry.ended(self.connection.number).await,
            ServiceError::UnexpectedResponse => {
                McpError::InvalidResult { method, problem: "it is not a result of this method" }
            }
            error => McpError::unreachable(error),
        }
    }
}

/// What an error that a server answered with means. Codes are those of the era and no others: `mcp-neg-15`.
fn of_fault(method: &'static str, era: Era, error: ErrorData) -> McpError {
    let fault = Fault::from(error);
    match fault.verdict() {
        Verdict::Versions(server) => return McpError::NoCommonVersion { client: Vec::new(), server },
        Verdict::MissingCapability(required) => return McpError::MissingClientCapability { required },
        Verdict::HeaderMismatch => return McpError::HeaderMismatch,
        // Outside of a negotiation the old code may mean anything.
        Verdict::MaybeVersions(_) | Verdict::Other => {}
    }
    if era == Era::Legacy
        && fault.code == consent::REQUIRED
        && let Some(elicitations) = consent::elicitations(fault.data.as_ref())
    {
        return McpError::UrlElicitationRequired { method, elicitations, reason: NotVisited::NotEnough };
    }
    if let ("resources/read" | "resources/subscribe", Some(uri)) = (method, fault.missing_resource(era)) {
        return McpError::ResourceNotFound { uri };
    }
    McpError::rpc(method, fault.code, &fault.message)
}

/// What an error of a transport means.
#[cfg_attr(not(feature = "over-acp"), allow(unused_variables, reason = "it tells of the method"))]
fn of_transport(method: &'static str, error: &(dyn Error + 'static)) -> McpError {
    #[cfg(feature = "over-acp")]
    if let Some(error) = crate::over_acp::error_in(method, error) {
        return error;
    }
    #[cfg(feature = "http")]
    if let Some(error) = crate::http::error_in(error) {
        return error;
    }
    McpError::unreachable(error)
}

/// The `resultType` of results that are of one type only.
fn result_type(result: &ServerResult) -> Option<&ResultType> {
    match result {
        ServerResult::CompleteResult(result) => result.result_type.as_ref(),
        ServerResult::GetPromptResult(result) => result.result_type.as_ref(),
        ServerResult::ListPromptsResult(result) => result.result_type.as_ref(),
        ServerResult::ListResourcesResult(result) => result.result_type.as_ref(),
        ServerResult::ListResourceTemplatesResult(result) => result.result_type.as_ref(),
        ServerResult::ReadResourceResult(result) => result.result_type.as_ref(),
        ServerResult::ListToolsResult(result) => result.result_type.as_ref(),
        ServerResult::CallToolResult(result) => result.result_type.as_ref(),
        _ => None,
    }
}

fn is_complete(result: &Value) -> bool {
    matches!(result.get("resultType").map(Value::as_str), None | Some(Some("complete")))
}

/// Tells the server of a request that nobody waits for any more (rules `mcp-neg-35` and `-50`).
struct Abandoned<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        let params =
            CancelledNotificationParam::new(Some(id), Some("the caller does not wait any more".to_owned()));
        let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { peer.send_notification(notification).await });
        }
    }
}
