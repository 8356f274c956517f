//! A run as lines of JSON: `acp prompt --json`.

use std::io;

use acp_cli::terminal::{Screen, Tone};
use acp_client::v1::{PromptResponse, RequestPermissionOutcome, RequestPermissionRequest, ToolCall};
use acp_client::{Event, Session, Transcript};
use serde_json::{Value, json};

use crate::outcome::Failure;
use crate::render::CALLS;
use crate::render::advice::client_error;
use crate::render::inert::inert;
use crate::render::update::update;
use crate::request_id::RequestId;

/// The version of the envelope. A member may be added to it without a new version.
const VERSION: u64 = 1;

/// The JSON Schema of a line.
pub(crate) const SCHEMA: &str = include_str!("../../schema/prompt-events.json");

/// Writes each event as a line: an envelope, and the members of its type.
pub(crate) struct JsonLines {
    out: Vec<u8>,
    sequence: u64,
    session: Option<String>,
    request: RequestId,
    /// A transcript of tool calls only.
    calls: Transcript,
    /// True after the last line.
    is_over: bool,
}

impl JsonLines {
    pub(crate) fn new(request: RequestId) -> Self {
        let calls = Transcript::new().with_limit(CALLS);
        Self { out: Vec::new(), sequence: 0, session: None, request, calls, is_over: false }
    }

    pub(crate) const fn written(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Takes in an event that is not shown.
    pub(crate) fn learn(&mut self, event: Event) {
        if matches!(event, Event::ToolCall(_) | Event::ToolCallUpdate(_) | Event::ToolContent { .. }) {
            self.calls.fold(event);
        }
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.learn(event.clone());
        match (update(event), event) {
            (Some(update), _) => self.line("update", &json!({"update": update})),
            (None, Event::Missed(count)) => self.line("missed", &json!({"count": count})),
            (None, _) => self.skip(),
        }
    }

    /// Counts a line that is not written.
    pub(crate) const fn skip(&mut self) {
        self.sequence += 1;
    }

    pub(crate) fn opened(&mut self, session: &Session, was_resumed: bool) {
        self.session = Some(session.id().as_str().to_owned());
        let agent = session.agent();
        let members = json!({
            "protocolVersion": agent.protocol_version(),
            "agent": agent.info(),
            "resumed": was_resumed,
            "modes": session.modes(),
            "configOptions": *session.config_options(),
        });
        self.line("session", &members);
    }

    pub(crate) fn ended(&mut self, response: &PromptResponse, code: u8) {
        let response = serde_json::to_value(response).unwrap_or_default();
        let stop_reason = response.get("stopReason").cloned().unwrap_or_default();
        self.last("result", &json!({"stopReason": stop_reason, "response": response, "exitCode": code}));
    }

    pub(crate) fn failed(&mut self, failure: &Failure, code: u8) {
        let error = client_error(failure).and_then(acp_client::Error::agent_error);
        let members = json!({
            "message": failure.to_string(),
            "code": error.map(|error| error.code),
            "data": error.and_then(|error| error.data.as_ref()),
            "exitCode": code,
        });
        self.last("error", &members);
    }

    /// Writes the last line of the run. Later ones have nothing to add.
    fn last(&mut self, kind: &str, members: &Value) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.line(kind, members);
        }
    }

    pub(crate) fn notice(&mut self, text: &str) {
        self.line("notice", &json!({"text": text}));
    }

    fn line(&mut self, kind: &str, members: &Value) {
        let session = json!(self.session);
        let request = self.request.json();
        let members = members.to_string();
        let members = members.strip_prefix('{').unwrap_or("}");
        let line = format!(
            r#"{{"version":{VERSION},"sequence":{},"session":{session},"request":{request},"type":"{kind}",{members}"#,
            self.sequence
        );
        self.out.extend_from_slice(inert(&line).as_bytes());
        self.out.push(b'\n');
        self.sequence += 1;
    }
}

impl Screen for JsonLines {
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall> {
        self.calls.fold_permission(request);
        let id = &request.tool_call.tool_call_id;
        let known = self.calls.tool_call(id).map(|run| run.call.clone());
        Ok(known.unwrap_or_else(|| ToolCall::new(id.clone(), "")))
    }

    fn line(&mut self, _: Tone, text: &str) -> io::Result<()> {
        self.notice(text);
        Ok(())
    }

    fn ask(&mut self, question: &str) -> io::Result<()> {
        self.line("question", &json!({"text": question}));
        Ok(())
    }

    fn decided(
        &mut self,
        request: &RequestPermissionRequest,
        outcome: &RequestPermissionOutcome,
    ) -> io::Result<()> {
        let call = self.call(request)?;
        let members = json!({"toolCall": call, "options": request.options, "outcome": outcome});
        self.line("permission", &members);
        Ok(())
    }
}
