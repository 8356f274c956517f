//! A scripted agent of version 2 on the official Rust SDK. The first word of the prompt chooses the
//! script (see ../../../README.md).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use agent_client_protocol::v2::schema::{
    AbsolutePath, AgentCapabilities, AgentMessage, CancelSessionNotification, CloseSessionRequest,
    CloseSessionResponse, Content, ContentBlock, ContentChunk, IdleStateUpdate, Implementation,
    InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse, MessageId,
    NewSessionRequest, NewSessionResponse, PermissionOption, PermissionOptionKind, PromptRequest,
    PromptResponse, ReplayFrom, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionSubject,
    RequiresActionStateUpdate, ResumeSessionRequest, ResumeSessionResponse, RunningStateUpdate,
    SessionCapabilities, SessionId, SessionInfo, SessionUpdate, StateUpdate, StopReason,
    ToolCallContentChunk, ToolCallStatus, ToolCallUpdate, ToolKind, UpdateSessionNotification, UserMessage,
};
use agent_client_protocol::v2::{ConnectionTo, Responder, schema};
use agent_client_protocol::{
    Agent, Client, Error, Result, Stdio, on_receive_notification, on_receive_request,
};
use rust_sdk_peer::lock;
use tokio::sync::watch;

#[tokio::main]
async fn main() -> Result<()> {
    let state = Arc::new(State::default());
    let (for_new, for_list, for_resume) = (state.clone(), state.clone(), state.clone());
    let (for_close, for_prompt, for_cancel) = (state.clone(), state.clone(), state);
    Agent
        .v2()
        .name("interop-agent-v2")
        .on_receive_request(
            async |request: InitializeRequest, responder: Responder<InitializeResponse>, _: Link| {
                let info = Implementation::new("rust-sdk-agent", "5.0.0");
                let capabilities = AgentCapabilities::new().session(SessionCapabilities::new());
                let answer = InitializeResponse::new(request.protocol_version, info);
                responder.respond(answer.capabilities(capabilities))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest,
                        responder: Responder<NewSessionResponse>,
                        client: Link| {
                let id = for_new.open(request.cwd);
                responder.respond(NewSessionResponse::new(id.clone()))?;
                // It may reach the client after its first prompt was sent, and ends no turn.
                send(&client, &id, idle(None))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: ListSessionsRequest, responder: Responder<ListSessionsResponse>, _: Link| {
                responder.respond(ListSessionsResponse::new(for_list.list()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest,
                        responder: Responder<ResumeSessionResponse>,
                        client: Link| {
                let history = match for_resume.history(&request) {
                    Ok(history) => history,
                    Err(error) => return responder.respond_with_error(error),
                };
                for update in history {
                    send(&client, &request.session_id, update)?;
                }
                send(&client, &request.session_id, idle(None))?;
                responder.respond(ResumeSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder: Responder<CloseSessionResponse>, _: Link| {
                for_close.cancel(&request.session_id);
                responder.respond(CloseSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder: Responder<PromptResponse>, client: Link| {
                let turn = match for_prompt.start(&request, client.clone()) {
                    Ok(turn) => turn,
                    Err(error) => return responder.respond_with_error(error),
                };
                responder.respond(PromptResponse::new(turn.id("user")))?;
                // A handler that awaits the client here would stop the SDK's dispatch loop.
                client.spawn(turn.run(request.prompt))
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelSessionNotification, _: Link| {
                for_cancel.cancel(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

type Link = ConnectionTo<Client>;

#[derive(Default)]
struct State {
    sessions: Mutex<BTreeMap<String, Session>>,
}

struct Session {
    cwd: AbsolutePath,
    cancel: watch::Sender<bool>,
    turns: usize,
    history: Vec<SessionUpdate>,
}

impl State {
    fn open(&self, cwd: AbsolutePath) -> SessionId {
        let mut sessions = lock(&self.sessions);
        let id = format!("rs-{}", sessions.len() + 1);
        let session = Session { cwd, cancel: watch::Sender::new(false), turns: 0, history: Vec::new() };
        sessions.insert(id.clone(), session);
        SessionId::new(id)
    }

    fn list(&self) -> Vec<SessionInfo> {
        let sessions = lock(&self.sessions);
        sessions.iter().map(|(id, session)| SessionInfo::new(id.as_str(), session.cwd.clone())).collect()
    }

    fn history(&self, request: &ResumeSessionRequest) -> Result<Vec<SessionUpdate>> {
        let sessions = lock(&self.sessions);
        let session = sessions.get(&request.session_id.to_string());
        let session = session.ok_or_else(|| not_found(&request.session_id))?;
        match &request.replay_from {
            None => Ok(Vec::new()),
            Some(ReplayFrom::Start(_)) => Ok(session.history.clone()),
            Some(_) => Err(Error::invalid_params().data("no such cursor")),
        }
    }

    fn start(self: &Arc<Self>, request: &PromptRequest, client: Link) -> Result<Turn> {
        let mut sessions = lock(&self.sessions);
        let session = sessions.get_mut(&request.session_id.to_string());
        let session = session.ok_or_else(|| not_found(&request.session_id))?;
        session.cancel.send_replace(false);
        session.turns += 1;
        Ok(Turn {
            state: self.clone(),
            client,
            session: request.session_id.clone(),
            number: session.turns,
            cancelled: session.cancel.subscribe(),
        })
    }

    fn cancel(&self, id: &SessionId) {
        if let Some(session) = lock(&self.sessions).get(&id.to_string()) {
            session.cancel.send_replace(true);
        }
    }

    fn keep(&self, id: &SessionId, update: SessionUpdate) {
        if let Some(session) = lock(&self.sessions).get_mut(&id.to_string()) {
            session.history.push(update);
        }
    }
}

struct Turn {
    state: Arc<State>,
    client: Link,
    session: SessionId,
    number: usize,
    cancelled: watch::Receiver<bool>,
}

impl Turn {
    async fn run(mut self, prompt: Vec<ContentBlock>) -> Result<()> {
        let text = match prompt.first() {
            Some(ContentBlock::Text(text)) => text.text.clone(),
            _ => String::new(),
        };
        let echo = SessionUpdate::UserMessage(UserMessage::new(self.id("user")).content(prompt));
        self.state.keep(&self.session, echo.clone());
        self.update(echo)?;
        self.update(running())?;
        let done = match text.split(' ').next().unwrap_or_default() {
            "stream" => self.stream(),
            "replace" => self.replace(),
            "permission" => self.permission().await,
            "wait" => self.wait().await,
            _ => Err(Error::invalid_params().data("the prompt starts with no known script word")),
        };
        let cancelled = *self.cancelled.borrow();
        let reason = match done {
            Ok(()) if cancelled => StopReason::Cancelled,
            Ok(()) => StopReason::EndTurn,
            Err(_) => StopReason::Refusal,
        };
        self.update(idle(Some(reason)))
    }

    fn stream(&self) -> Result<()> {
        for word in ["one ", "two ", "three"] {
            self.say(word)?;
        }
        self.keep_answer("one two three");
        let call = ToolCallUpdate::new("list-1").title("List files").kind(ToolKind::Search);
        self.update(SessionUpdate::ToolCallUpdate(call.status(ToolCallStatus::Pending)))?;
        let call = ToolCallUpdate::new("list-1").status(ToolCallStatus::InProgress);
        self.update(SessionUpdate::ToolCallUpdate(call))?;
        let found = Content::new(ContentBlock::from("notes.txt"));
        let chunk = ToolCallContentChunk::new("list-1", schema::ToolCallContent::Content(Box::new(found)));
        self.update(SessionUpdate::ToolCallContentChunk(chunk))?;
        let call = ToolCallUpdate::new("list-1").status(ToolCallStatus::Completed);
        self.update(SessionUpdate::ToolCallUpdate(call))
    }

    /// Says something, and then takes it back for something else.
    fn replace(&self) -> Result<()> {
        self.say("first")?;
        let message = AgentMessage::new(self.id("agent")).content(vec![ContentBlock::from("second")]);
        self.update(SessionUpdate::AgentMessage(message))?;
        self.keep_answer("second");
        Ok(())
    }

    async fn permission(&self) -> Result<()> {
        let call = ToolCallUpdate::new("edit-1").title("Edit notes.txt").kind(ToolKind::Edit);
        let call = call.status(ToolCallStatus::Pending);
        self.update(SessionUpdate::ToolCallUpdate(call.clone()))?;
        let options = vec![
            PermissionOption::new("opt-always", "Always", PermissionOptionKind::AllowAlways),
            PermissionOption::new("opt-yes", "Yes", PermissionOptionKind::AllowOnce),
            PermissionOption::new("opt-no", "No", PermissionOptionKind::RejectOnce),
        ];
        let request = RequestPermissionRequest::new(self.session.clone(), "Edit notes.txt?", options);
        self.update(SessionUpdate::StateUpdate(StateUpdate::RequiresAction(
            RequiresActionStateUpdate::new(),
        )))?;
        let answer = self
            .client
            .send_request(request.subject(RequestPermissionSubject::from(call)))
            .block_task()
            .await?;
        let chosen = match answer.outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".to_owned(),
        };
        self.update(running())?;
        let status = match chosen.as_str() {
            "opt-yes" | "opt-always" => ToolCallStatus::Completed,
            "cancelled" => ToolCallStatus::Cancelled,
            _ => ToolCallStatus::Failed,
        };
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new("edit-1").status(status)))?;
        self.say(&format!("answer: {chosen}"))
    }

    async fn wait(&mut self) -> Result<()> {
        self.say("waiting")?;
        self.cancelled.wait_for(|cancelled| *cancelled).await.map_err(Error::into_internal_error)?;
        Ok(())
    }

    /// The id of this turn's message of `whom`.
    fn id(&self, whom: &str) -> MessageId {
        MessageId::new(format!("{whom}-{}", self.number))
    }

    fn say(&self, text: &str) -> Result<()> {
        let chunk = ContentChunk::new(ContentBlock::from(text), self.id("agent"));
        self.update(SessionUpdate::AgentMessageChunk(chunk))
    }

    /// Keeps the turn's whole answer for a replay.
    fn keep_answer(&self, text: &str) {
        let message = AgentMessage::new(self.id("agent")).content(vec![ContentBlock::from(text)]);
        self.state.keep(&self.session, SessionUpdate::AgentMessage(message));
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        send(&self.client, &self.session, update)
    }
}

fn send(client: &Link, session: &SessionId, update: SessionUpdate) -> Result<()> {
    client.send_notification(UpdateSessionNotification::new(session.clone(), update))
}

fn running() -> SessionUpdate {
    SessionUpdate::StateUpdate(StateUpdate::Running(RunningStateUpdate::new()))
}

fn idle(reason: Option<StopReason>) -> SessionUpdate {
    let idle = IdleStateUpdate::new();
    let idle = if let Some(reason) = reason { idle.stop_reason(reason) } else { idle };
    SessionUpdate::StateUpdate(StateUpdate::Idle(idle))
}

fn not_found(session: &SessionId) -> Error {
    schema::Error::session_not_found(session.clone()).into()
}
