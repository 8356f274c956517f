//! A scripted agent on the official Rust SDK. The first word of the prompt chooses the script
//! (see ../../../README.md).

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, ContentChunk, FileSystemCapabilities, Implementation,
    InitializeRequest, InitializeResponse, NewSessionRequest, NewSessionResponse, PermissionOption,
    PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest, RequestPermissionOutcome,
    RequestPermissionRequest, SessionId, SessionNotification, SessionUpdate, StopReason, TextContent,
    ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
    WriteTextFileRequest,
};
use agent_client_protocol::{
    Agent, Client, Error, ErrorCode, Result, Stdio, on_receive_notification, on_receive_request,
};
use rust_sdk_peer::lock;
use tokio::sync::watch;

#[tokio::main]
async fn main() -> Result<()> {
    let state = Arc::new(State::default());
    let (for_initialize, for_new, for_prompt, for_cancel) =
        (state.clone(), state.clone(), state.clone(), state);
    Agent
        .v1()
        .name("interop-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _client| {
                *lock(&for_initialize.fs) = request.client_capabilities.fs;
                let info = Implementation::new("rust-sdk-agent", "5.0.0");
                responder.respond(InitializeResponse::new(ProtocolVersion::V1).agent_info(info))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond(NewSessionResponse::new(for_new.open(request.cwd)))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let turn = for_prompt.start(&request, client.clone());
                // A handler that awaits the client here would stop the SDK's dispatch loop.
                client.spawn(async move {
                    let stop_reason = match turn {
                        Ok(turn) => turn.run().await,
                        Err(error) => Err(error),
                    };
                    responder.respond_with_result(stop_reason.map(PromptResponse::new))
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

#[derive(Default)]
struct State {
    fs: Mutex<FileSystemCapabilities>,
    sessions: Mutex<HashMap<SessionId, Session>>,
}

struct Session {
    cwd: PathBuf,
    cancel: watch::Sender<bool>,
}

impl State {
    fn open(&self, cwd: PathBuf) -> SessionId {
        let mut sessions = lock(&self.sessions);
        let id = SessionId::new(format!("rs-{}", sessions.len() + 1));
        sessions.insert(id.clone(), Session { cwd, cancel: watch::Sender::new(false) });
        id
    }

    fn start(&self, request: &PromptRequest, client: ConnectionTo<Client>) -> Result<Turn> {
        let sessions = lock(&self.sessions);
        let session = sessions
            .get(&request.session_id)
            .ok_or_else(|| Error::new(ErrorCode::RESOURCE_NOT_FOUND, "no such session"))?;
        session.cancel.send_replace(false);
        let script = match request.prompt.first() {
            Some(ContentBlock::Text(text)) => text.text.split(' ').next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        Ok(Turn {
            client,
            session: request.session_id.clone(),
            cwd: session.cwd.clone(),
            cancelled: session.cancel.subscribe(),
            fs: lock(&self.fs).clone(),
            script,
        })
    }

    fn cancel(&self, id: &SessionId) {
        if let Some(session) = lock(&self.sessions).get(id) {
            session.cancel.send_replace(true);
        }
    }
}

struct Turn {
    client: ConnectionTo<Client>,
    session: SessionId,
    cwd: PathBuf,
    cancelled: watch::Receiver<bool>,
    fs: FileSystemCapabilities,
    script: String,
}

impl Turn {
    async fn run(mut self) -> Result<StopReason> {
        match self.script.as_str() {
            "stream" => self.stream()?,
            "permission" => self.permission().await?,
            "files" => self.files().await?,
            "refusals" => self.refusals().await?,
            "wait" => self.wait().await?,
            _ => return Err(Error::invalid_params().data("the prompt starts with no known script word")),
        }
        Ok(if *self.cancelled.borrow() { StopReason::Cancelled } else { StopReason::EndTurn })
    }

    fn stream(&self) -> Result<()> {
        for word in ["one ", "two ", "three"] {
            self.say(word)?;
        }
        self.update(SessionUpdate::ToolCall(ToolCall::new("list-1", "List files").kind(ToolKind::Search)))?;
        self.progress("list-1", ToolCallUpdateFields::new().status(ToolCallStatus::InProgress))?;
        let found: ToolCallContent = ContentBlock::Text(TextContent::new("notes.txt")).into();
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed).content(vec![found]);
        self.progress("list-1", done)
    }

    async fn permission(&self) -> Result<()> {
        self.update(SessionUpdate::ToolCall(ToolCall::new("edit-1", "Edit notes.txt").kind(ToolKind::Edit)))?;
        let options = vec![
            PermissionOption::new("opt-always", "Always", PermissionOptionKind::AllowAlways),
            PermissionOption::new("opt-yes", "Yes", PermissionOptionKind::AllowOnce),
            PermissionOption::new("opt-no", "No", PermissionOptionKind::RejectOnce),
        ];
        let call = ToolCallUpdate::new("edit-1", ToolCallUpdateFields::new().title("Edit notes.txt"));
        let request = RequestPermissionRequest::new(self.session.clone(), call, options);
        let chosen = match self.client.send_request(request).block_task().await?.outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".to_owned(),
        };
        let allowed = matches!(chosen.as_str(), "opt-yes" | "opt-always");
        let status = if allowed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        self.progress("edit-1", ToolCallUpdateFields::new().status(status))?;
        self.say(&format!("answer: {chosen}"))
    }

    async fn files(&self) -> Result<()> {
        if !(self.fs.read_text_file && self.fs.write_text_file) {
            return self.say("no file system");
        }
        let read = ReadTextFileRequest::new(self.session.clone(), self.cwd.join("notes.txt"));
        let text = self.client.send_request(read).block_task().await?.content;
        let copy = self.cwd.join("copy.txt");
        let write = WriteTextFileRequest::new(self.session.clone(), copy, text.to_uppercase());
        self.client.send_request(write).block_task().await?;
        self.say("copied")
    }

    async fn refusals(&self) -> Result<()> {
        let mut codes = Vec::new();
        for path in ["missing.txt", "../outside.txt"] {
            let read = ReadTextFileRequest::new(self.session.clone(), self.cwd.join(path));
            codes.push(match self.client.send_request(read).block_task().await {
                Ok(_) => "read".to_owned(),
                Err(error) => error.code.value().to_string(),
            });
        }
        self.say(&format!("missing: {}, outside: {}", codes[0], codes[1]))
    }

    async fn wait(&mut self) -> Result<()> {
        self.say("waiting")?;
        self.cancelled.wait_for(|cancelled| *cancelled).await.map_err(Error::into_internal_error)?;
        Ok(())
    }

    fn say(&self, text: &str) -> Result<()> {
        let block = ContentBlock::Text(TextContent::new(text));
        self.update(SessionUpdate::AgentMessageChunk(ContentChunk::new(block)))
    }

    fn progress(&self, id: &'static str, fields: ToolCallUpdateFields) -> Result<()> {
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)))
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        self.client.send_notification(SessionNotification::new(self.session.clone(), update))
    }
}
