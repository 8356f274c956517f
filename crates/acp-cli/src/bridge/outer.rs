//! The agent that the client sees.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use acp_agent::types::{
    AuthMethod, AuthenticateRequest, CloseSessionRequest, DeleteSessionRequest, InitializeRequest,
    ListSessionsRequest, PromptResponse, SessionConfigOption, SessionInfo, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use acp_agent::{Client, Elicitation, McpTransports, PromptContent, Result, Router, Session, Turn, op};
use acp_client::{Agent, ProtocolVersion};

use super::error::of_agent;
use super::login::listed;
use super::opening::Door;
use super::session::State;
use super::shared::Shared;
use super::turn;

/// Returns an agent that offers what the agent behind the bridge does.
pub(super) fn agent(
    agent: &Agent,
    asked: &InitializeRequest,
    shared: Arc<Shared>,
    has_logins: bool,
) -> Router<Door, State> {
    let info = agent.info();
    let name = kept(info.map_or("agent", |info| info.name.as_str()));
    let version = kept(info.map_or("unknown", |info| info.version.as_str()));
    let offered = agent.capabilities().clone();
    let door = Door { agent: agent.clone(), shared, has_logins };
    let prompts = &offered.prompt_capabilities;
    let prompt = PromptContent {
        image: prompts.image,
        audio: prompts.audio,
        embedded_context: prompts.embedded_context,
    };
    let (http, sse) = (offered.mcp_capabilities.http, offered.mcp_capabilities.sse);
    let mut router = Router::with_sessions(name, version, door, Door::new_session)
        .prompt_content(prompt)
        .mcp_transports(McpTransports { http, sse })
        // An agent need not take a second prompt. So it gets one after the other.
        .queue_prompts()
        .capability_meta(offered.meta.clone().unwrap_or_default())
        .on::<op::Initialize, _>(Door::auth_methods)
        .on::<op::Prompt, _>(Door::prompt)
        .on::<op::SetMode, _>(Door::set_mode)
        .on::<op::SetConfigOption, _>(Door::set_config_option);
    if agent.can_be_steered() {
        router = router.steering();
    }
    if let Some(title) = info.and_then(|info| info.title.as_deref()) {
        router = router.title(kept(title));
    }
    if !agent.auth_methods().is_empty() {
        router = router.on::<op::Authenticate, _>(Door::authenticate);
    }
    if offered.auth.logout.is_some() {
        router = router.on::<op::Logout, _>(Door::logout);
    }
    let sessions = &offered.session_capabilities;
    if sessions.additional_directories.is_some() {
        router = router.additional_directories();
    }
    let keeps = offered.load_session && sessions.resume.is_some() && sessions.list.is_some();
    let is_v2 = asked.protocol_version >= ProtocolVersion::V2;
    if sessions.close.is_some() || is_v2 {
        router = router.on::<op::CloseSession, _>(Door::close_session);
    }
    // Version 2 has all of these, or the library keeps the sessions of the connection itself.
    if is_v2 && !keeps {
        return router;
    }
    if offered.load_session {
        router = router.on::<op::LoadSession, _>(Door::load_session);
    }
    if sessions.resume.is_some() {
        router = router.on::<op::ResumeSession, _>(Door::resume_session);
    }
    if sessions.list.is_some() {
        router = router.on::<op::ListSessions, _>(Door::list_sessions);
    }
    if sessions.delete.is_some() {
        router = router.on::<op::DeleteSession, _>(Door::delete_session);
    }
    router
}

/// Returns an agent for a client that has not introduced itself.
pub(super) fn nobody() -> Router<()> {
    Router::new("acp-bridge", env!("CARGO_PKG_VERSION"), ())
}

/// The reason why the agent is missing.
pub(super) struct Reason(String);

/// Returns an agent that answers `initialize` with the reason why the agent is missing.
pub(super) fn refusing(error: &acp_client::Error) -> Router<Reason> {
    async fn refuse(Reason(reason): &Reason) -> Result<Vec<AuthMethod>> {
        Err(acp_agent::Error::from(reason.as_str()))
    }
    Router::new("acp-bridge", env!("CARGO_PKG_VERSION"), Reason(error.to_string()))
        .on::<op::Initialize, _>(refuse)
}

impl Door {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        self.shared.set_client(client);
        let methods = self.agent.auth_methods().iter();
        Ok(methods.filter_map(|method| listed(method, self.has_logins)).collect())
    }

    async fn authenticate(&self, request: AuthenticateRequest, user: Elicitation) -> Result<()> {
        let _asks = self.shared.asks_with(user);
        self.agent.authenticate(request.method_id).await.map_err(of_agent)
    }

    async fn logout(&self) -> Result<()> {
        self.agent.logout().await.map_err(of_agent)
    }

    async fn prompt(&self, turn: Turn, session: Session<State>) -> Result<PromptResponse> {
        turn::run(turn, session).await
    }

    async fn set_mode(&self, request: SetSessionModeRequest, session: Session<State>) -> Result<()> {
        session.inner.set_mode(request.mode_id.clone()).await.map_err(of_agent)?;
        session.settings.lock().unwrap_or_else(PoisonError::into_inner).set_mode(&request.mode_id);
        Ok(())
    }

    async fn set_config_option(
        &self,
        request: SetSessionConfigOptionRequest,
        session: Session<State>,
    ) -> Result<Vec<SessionConfigOption>> {
        let set = session.inner.set_config_option(request.config_id, request.value).await;
        let options = set.map_err(of_agent)?.to_vec();
        let mut settings = session.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = settings.without_modes(options);
        settings.options.clone_from(&rest);
        Ok(rest)
    }

    /// Lists all sessions of the agent, on one page.
    async fn list_sessions(&self, request: ListSessionsRequest) -> Result<Vec<SessionInfo>> {
        let mut list = self.agent.list_sessions();
        if let Some(cwd) = &request.cwd {
            list = list.cwd(cwd);
        }
        let mut sessions = Vec::new();
        while let Some(session) = list.next().await {
            sessions.push(session.map_err(of_agent)?);
        }
        Ok(sessions)
    }

    /// Closes a session. One that the agent could not open again stays open there, because the
    /// client may resume it from the memory of the bridge.
    async fn close_session(&self, request: CloseSessionRequest) -> Result<()> {
        let Some(session) = self.shared.session(&request.session_id) else { return Ok(()) };
        let offered = self.agent.capabilities();
        let comes_back = offered.load_session || offered.session_capabilities.resume.is_some();
        if offered.session_capabilities.close.is_some() && comes_back {
            session.inner.close().await.map_err(of_agent)?;
            self.shared.remove(&request.session_id);
        }
        Ok(())
    }

    async fn delete_session(&self, request: DeleteSessionRequest) -> Result<()> {
        self.agent.delete_session(request.session_id.clone()).await.map_err(of_agent)?;
        self.shared.remove(&request.session_id);
        Ok(())
    }
}

/// Keeps a name for the rest of the process, because the name of an agent is part of its program.
/// Each name is kept once.
fn kept(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}
