//! Appends what it is told to `notes.txt`, if the user allows it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, ContentChunk, Diff, FileSystemCapabilities, Implementation,
    InitializeRequest, InitializeResponse, NewSessionRequest, NewSessionResponse, PermissionOption,
    PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest, RequestPermissionOutcome,
    RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate, StopReason, TextContent,
    ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, WriteTextFileRequest,
};
use agent_client_protocol::{
    Agent, Client, Error, ErrorCode, Result, Stdio, on_receive_notification, on_receive_request,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

#[derive(Default)]
struct State {
    fs: FileSystemCapabilities,
    sessions: HashMap<SessionId, Session>,
    tool_calls: usize,
}

struct Session {
    notes: PathBuf,
    /// Cancels the turn that runs.
    turn: Option<CancellationToken>,
}

#[derive(Clone, Default)]
struct Editor(Arc<Mutex<State>>);

impl Editor {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, request: &NewSessionRequest) -> Result<SessionId> {
        if !request.cwd.is_absolute() {
            return Err(Error::invalid_params().data("`cwd`: expected an absolute path"));
        }
        let mut state = self.state();
        let id = SessionId::new(format!("editor-{}", state.sessions.len() + 1));
        let session = Session { notes: request.cwd.join("notes.txt"), turn: None };
        state.sessions.insert(id.clone(), session);
        Ok(id)
    }

    fn begin(&self, request: &PromptRequest, client: ConnectionTo<Client>) -> Result<Turn> {
        let mut state = self.state();
        let fs = state.fs.clone();
        let id = &request.session_id;
        let Some(session) = state.sessions.get_mut(id) else {
            let error = Error::new(ErrorCode::RESOURCE_NOT_FOUND, "no such session");
            return Err(error.data(json!({ "sessionId": id })));
        };
        if session.turn.is_some() {
            return Err(Error::invalid_request().data("the session has a turn already"));
        }
        let mut texts = Vec::new();
        for block in &request.prompt {
            match block {
                ContentBlock::Text(text) => texts.push(text.text.as_str()),
                ContentBlock::ResourceLink(_) => {}
                _ => return Err(Error::invalid_params().data("`prompt`: only text and links are taken")),
            }
        }
        let cancel = CancellationToken::new();
        session.turn = Some(cancel.clone());
        let notes = session.notes.clone();
        state.tool_calls += 1;
        let tool_call = format!("call-{}", state.tool_calls);
        Ok(Turn { client, session: id.clone(), notes, text: texts.join("\n"), fs, cancel, tool_call })
    }

    fn end(&self, session: &SessionId) {
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.turn = None;
        }
    }

    fn cancel(&self, session: &SessionId) {
        if let Some(turn) = self.state().sessions.get(session).and_then(|session| session.turn.as_ref()) {
            turn.cancel();
        }
    }
}

struct Turn {
    client: ConnectionTo<Client>,
    session: SessionId,
    notes: PathBuf,
    text: String,
    fs: FileSystemCapabilities,
    cancel: CancellationToken,
    tool_call: String,
}

impl Turn {
    async fn run(&self, request_cancelled: impl Future<Output = ()>) -> Result<StopReason> {
        let outcome = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Ok(StopReason::Cancelled),
            () = request_cancelled => Ok(StopReason::Cancelled),
            outcome = self.append() => outcome,
        };
        // A cancelled turn is answered as cancelled, even if the work failed.
        if self.cancel.is_cancelled() { Ok(StopReason::Cancelled) } else { outcome }
    }

    async fn append(&self) -> Result<StopReason> {
        if !self.fs.read_text_file || !self.fs.write_text_file {
            return Err(Error::internal_error().data("the client does not offer `fs`"));
        }
        let read = ReadTextFileRequest::new(self.session.clone(), self.notes.clone());
        let old = self.client.send_request(read).block_task().await?.content;
        let new = format!("{old}{}\n", self.text);
        let diff = Diff::new(self.notes.clone(), new.as_str()).old_text(old);
        let call = ToolCall::new(self.tool_call.clone(), "Append to notes.txt").kind(ToolKind::Edit);
        self.update(SessionUpdate::ToolCall(call.content(vec![diff.clone().into()])))?;
        let tool = RunningTool { turn: self, open: true };
        if !self.ask(diff.clone()).await? {
            // The list replaces the earlier one, so it repeats the diff.
            let content = vec![diff.into(), "The user has rejected this change.".into()];
            let fields = ToolCallUpdateFields::new().content(content);
            tool.finish(fields.status(ToolCallStatus::Failed))?;
            return Ok(StopReason::EndTurn);
        }
        self.report(ToolCallUpdateFields::new().status(ToolCallStatus::InProgress))?;
        let write = WriteTextFileRequest::new(self.session.clone(), self.notes.clone(), new);
        self.client.send_request(write).block_task().await?;
        tool.finish(ToolCallUpdateFields::new().status(ToolCallStatus::Completed))?;
        let done = ContentBlock::Text(TextContent::new("Done."));
        self.update(SessionUpdate::AgentMessageChunk(ContentChunk::new(done)))?;
        Ok(StopReason::EndTurn)
    }

    async fn ask(&self, diff: Diff) -> Result<bool> {
        let options = vec![
            PermissionOption::new("allow-once", "Allow", PermissionOptionKind::AllowOnce),
            PermissionOption::new("allow-always", "Always allow", PermissionOptionKind::AllowAlways),
            PermissionOption::new("reject-once", "Reject", PermissionOptionKind::RejectOnce),
        ];
        let fields = ToolCallUpdateFields::new().title("Append to notes.txt".to_owned()).kind(ToolKind::Edit);
        let call = ToolCallUpdate::new(self.tool_call.clone(), fields.content(vec![diff.into()]));
        let request = RequestPermissionRequest::new(self.session.clone(), call, options);
        let answer = match self.client.send_request(request).block_task().await {
            Err(error) if error.code == ErrorCode::REQUEST_CANCELLED => RequestPermissionOutcome::Cancelled,
            answer => answer?.outcome,
        };
        match answer {
            RequestPermissionOutcome::Selected(selected) => match &*selected.option_id.0 {
                "allow-once" | "allow-always" => Ok(true),
                "reject-once" => Ok(false),
                _ => Err(Error::internal_error().data("the client chose what was not offered")),
            },
            _ => {
                self.cancel.cancel();
                Err(Error::request_cancelled())
            }
        }
    }

    fn report(&self, fields: ToolCallUpdateFields) -> Result<()> {
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(self.tool_call.clone(), fields)))
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        self.client.send_notification(SessionNotification::new(self.session.clone(), update))
    }
}

/// Reports the tool call as failed if it is dropped unfinished.
struct RunningTool<'a> {
    turn: &'a Turn,
    open: bool,
}

impl RunningTool<'_> {
    fn finish(mut self, fields: ToolCallUpdateFields) -> Result<()> {
        self.open = false;
        self.turn.report(fields)
    }
}

impl Drop for RunningTool<'_> {
    fn drop(&mut self) {
        if self.open {
            let _ = self.turn.report(ToolCallUpdateFields::new().status(ToolCallStatus::Failed));
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let editor = Editor::default();
    let (for_initialize, for_new, for_cancel) = (editor.clone(), editor.clone(), editor.clone());
    Agent
        .v1()
        .name("editor")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _client| {
                for_initialize.state().fs = request.client_capabilities.fs;
                let info = Implementation::new("editor", "1.0.0");
                responder.respond(InitializeResponse::new(ProtocolVersion::V1).agent_info(info))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(for_new.open(&request).map(NewSessionResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let turn = match editor.begin(&request, client.clone()) {
                    Ok(turn) => turn,
                    Err(error) => return responder.respond_with_error(error),
                };
                // In a task: the dispatch loop would wait for this handler, and take no answer.
                let editor = editor.clone();
                client.spawn(async move {
                    let cancellation = responder.cancellation();
                    let outcome = turn.run(cancellation.cancelled()).await;
                    editor.end(&turn.session);
                    responder.respond_with_result(outcome.map(PromptResponse::new))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _client| {
                for_cancel.cancel(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}
