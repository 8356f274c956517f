//! Says what it is told, in both versions of the protocol.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, ErrorCode, Result, Stdio, on_receive_request, v1, v2,
};
use serde_json::json;

#[derive(Default)]
struct State {
    sessions: BTreeMap<String, Session>,
    messages: usize,
}

struct Session {
    cwd: v2::schema::AbsolutePath,
    is_open: bool,
    /// The messages of version 2, for a replay.
    history: Vec<v2::schema::SessionUpdate>,
}

#[derive(Clone, Default)]
struct Echo(Arc<Mutex<State>>);

impl Echo {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, cwd: &Path) -> Result<String> {
        absolute(cwd)?;
        let mut state = self.state();
        let id = format!("echo-{}", state.sessions.len() + 1);
        let session = Session { cwd: cwd.into(), is_open: true, history: Vec::new() };
        state.sessions.insert(id.clone(), session);
        Ok(id)
    }

    fn check(&self, id: &str) -> Result<()> {
        match self.state().sessions.get(id) {
            Some(session) if session.is_open => Ok(()),
            _ => Err(unknown(id)),
        }
    }

    fn list(&self, request: &v2::schema::ListSessionsRequest) -> Result<v2::schema::ListSessionsResponse> {
        if request.cursor.is_some() {
            return Err(invalid("`cursor`: there is one page"));
        }
        let state = self.state();
        let listed = state.sessions.iter();
        let listed = listed.filter(|(_, session)| request.cwd.as_ref().is_none_or(|cwd| *cwd == session.cwd));
        let listed =
            listed.map(|(id, session)| v2::schema::SessionInfo::new(id.as_str(), session.cwd.clone()));
        Ok(v2::schema::ListSessionsResponse::new(listed.collect()))
    }

    fn resume(&self, request: &v2::schema::ResumeSessionRequest) -> Result<Vec<v2::schema::SessionUpdate>> {
        absolute(&request.cwd.0)?;
        no_servers(&request.mcp_servers)?;
        let id = request.session_id.to_string();
        let mut state = self.state();
        let session = state.sessions.get_mut(&id).ok_or_else(|| unknown(&id))?;
        if session.cwd != request.cwd {
            return Err(invalid("`cwd`: the session has another"));
        }
        let replay = match &request.replay_from {
            None => Vec::new(),
            Some(v2::schema::ReplayFrom::Start(_)) => session.history.clone(),
            Some(_) => return Err(invalid("`replayFrom`: only the start is known")),
        };
        session.is_open = true;
        Ok(replay)
    }

    /// Keeps a message and sends it.
    fn tell(
        &self,
        to: &Link,
        session: &v2::schema::SessionId,
        update: v2::schema::SessionUpdate,
    ) -> Result<()> {
        if let Some(session) = self.state().sessions.get_mut(&session.to_string()) {
            session.history.push(update.clone());
        }
        send(to, session, update)
    }

    fn next_message(&self) -> v2::schema::MessageId {
        let mut state = self.state();
        state.messages += 1;
        v2::schema::MessageId::new(format!("message-{}", state.messages))
    }

    fn prompt_v1(
        &self,
        request: v1::schema::PromptRequest,
        client: &v1::ConnectionTo<Client>,
    ) -> Result<v1::schema::PromptResponse> {
        use v1::schema::{ContentBlock, ContentChunk, SessionNotification, SessionUpdate};
        self.check(&request.session_id.to_string())?;
        for block in &request.prompt {
            if !matches!(block, ContentBlock::Text(_) | ContentBlock::ResourceLink(_)) {
                return Err(invalid("`prompt`: only text and links are taken"));
            }
        }
        for block in request.prompt {
            let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(block));
            client.send_notification(SessionNotification::new(request.session_id.clone(), update))?;
        }
        Ok(v1::schema::PromptResponse::new(v1::schema::StopReason::EndTurn))
    }

    fn prompt_v2(
        &self,
        request: v2::schema::PromptRequest,
        responder: v2::Responder<v2::schema::PromptResponse>,
        client: &Link,
    ) -> Result<()> {
        use v2::schema::{ContentBlock, ContentChunk, IdleStateUpdate, PromptResponse, RunningStateUpdate};
        use v2::schema::{SessionUpdate, StateUpdate, StopReason, UserMessage};
        if let Err(error) = self.check(&request.session_id.to_string()) {
            return responder.respond_with_error(error);
        }
        let is_known =
            |block: &ContentBlock| matches!(block, ContentBlock::Text(_) | ContentBlock::ResourceLink(_));
        if request.prompt.is_empty() || !request.prompt.iter().all(is_known) {
            return responder.respond_with_error(invalid("`prompt`: only text and links are taken"));
        }
        let session = request.session_id;
        let message = self.next_message();
        responder.respond(PromptResponse::new(message.clone()))?;
        let echo = UserMessage::new(message).content(request.prompt.clone());
        self.tell(client, &session, SessionUpdate::UserMessage(echo))?;
        send(client, &session, SessionUpdate::StateUpdate(StateUpdate::Running(RunningStateUpdate::new())))?;
        let answer = self.next_message();
        for block in request.prompt {
            let chunk = ContentChunk::new(block, answer.clone());
            self.tell(client, &session, SessionUpdate::AgentMessageChunk(chunk))?;
        }
        let idle = IdleStateUpdate::new().stop_reason(StopReason::EndTurn);
        send(client, &session, SessionUpdate::StateUpdate(StateUpdate::Idle(idle)))
    }
}

type Link = v2::ConnectionTo<Client>;

fn send(to: &Link, session: &v2::schema::SessionId, update: v2::schema::SessionUpdate) -> Result<()> {
    to.send_notification(v2::schema::UpdateSessionNotification::new(session.clone(), update))
}

fn invalid(what: &str) -> Error {
    Error::invalid_params().data(what)
}

fn unknown(id: &str) -> Error {
    let error = Error::new(ErrorCode::RESOURCE_NOT_FOUND, "no such session");
    error.data(json!({ "sessionId": id }))
}

fn absolute(cwd: &Path) -> Result<()> {
    if cwd.is_absolute() { Ok(()) } else { Err(invalid("`cwd`: expected an absolute path")) }
}

fn no_servers(servers: &[v2::schema::McpServer]) -> Result<()> {
    if servers.is_empty() { Ok(()) } else { Err(invalid("`mcpServers`: none are taken")) }
}

fn version_1(echo: Echo) -> impl ConnectTo<Client> {
    use v1::schema::{Implementation, InitializeRequest, InitializeResponse};
    use v1::schema::{NewSessionRequest, NewSessionResponse, PromptRequest};
    let for_new = echo.clone();
    Agent
        .v1()
        .name("echo")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _client| {
                let info = Implementation::new("echo", "1.0.0");
                responder.respond(InitializeResponse::new(ProtocolVersion::V1).agent_info(info))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(for_new.open(&request.cwd).map(NewSessionResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: v1::ConnectionTo<Client>| {
                responder.respond_with_result(echo.prompt_v1(request, &client))
            },
            on_receive_request!(),
        )
}

fn version_2(echo: Echo) -> impl ConnectTo<Client> {
    use v2::schema::{
        AgentCapabilities, CloseSessionRequest, CloseSessionResponse, IdleStateUpdate, Implementation,
        InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse, NewSessionRequest,
        NewSessionResponse, PromptRequest, PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
        SessionCapabilities, SessionUpdate, StateUpdate,
    };
    let (for_new, for_list, for_resume, for_close) = (echo.clone(), echo.clone(), echo.clone(), echo.clone());
    Agent
        .v2()
        .name("echo")
        .on_receive_request(
            async move |request: InitializeRequest, responder: v2::Responder<InitializeResponse>, _: Link| {
                let capabilities = AgentCapabilities::new().session(SessionCapabilities::new());
                let info = Implementation::new("echo", "1.0.0");
                let answer = InitializeResponse::new(request.protocol_version, info);
                responder.respond(answer.capabilities(capabilities))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder: v2::Responder<NewSessionResponse>, _: Link| {
                let opened = no_servers(&request.mcp_servers).and_then(|()| for_new.open(&request.cwd.0));
                responder.respond_with_result(opened.map(NewSessionResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest,
                        responder: v2::Responder<ListSessionsResponse>,
                        _: Link| { responder.respond_with_result(for_list.list(&request)) },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest,
                        responder: v2::Responder<ResumeSessionResponse>,
                        client: Link| {
                let replay = match for_resume.resume(&request) {
                    Ok(replay) => replay,
                    Err(error) => return responder.respond_with_error(error),
                };
                for update in replay {
                    send(&client, &request.session_id, update)?;
                }
                let idle = SessionUpdate::StateUpdate(StateUpdate::Idle(IdleStateUpdate::new()));
                send(&client, &request.session_id, idle)?;
                responder.respond(ResumeSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest,
                        responder: v2::Responder<CloseSessionResponse>,
                        _: Link| {
                if let Some(session) = for_close.state().sessions.get_mut(&request.session_id.to_string()) {
                    session.is_open = false;
                }
                responder.respond(CloseSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder: v2::Responder<PromptResponse>, client: Link| {
                echo.prompt_v2(request, responder, &client)
            },
            on_receive_request!(),
        )
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let echo = Echo::default();
    let router = Agent.protocol_router().with_v1(version_1(echo.clone())).with_v2(version_2(echo));
    ConnectTo::<Client>::connect_to(router, Stdio::new()).await
}
