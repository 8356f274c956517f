//! What only the unstable schema has. No promise about any of it.

use std::path::Path;
use std::sync::Arc;

use acp_types::method::Method;
use acp_types::v1::methods::{
    AuthStatus, McpMessageNotify, ProvidersDisable, ProvidersList, ProvidersSet, SessionArchive, SessionFork,
    SessionSetTitle, SessionStatus, SessionUnarchive,
};
use acp_types::v1::{
    ArchiveSessionRequest, AuthStatusRequest, AuthStatusResponse, ContentBlock, DisableProviderRequest,
    ForkSessionRequest, ForkSessionResponse, ListProvidersRequest, ListProvidersResponse,
    MessageMcpNotification, ProviderId, SessionId, SessionStatusRequest, SessionStatusResponse,
    SetProviderRequest, SetSessionTitleRequest, SystemPrompt, SystemPromptMode, UnarchiveSessionRequest,
};

use crate::agent::session::open::{Place, opens_a_session, tells_of_a_session};
use crate::wire::opened_response::Answer;
use crate::{Agent, Error, Session};

/// A session about to be made out of another one with `session/fork`: await it.
///
/// ```no_run
/// # async fn fork(session: acp_client::Session) -> Result<(), acp_client::Error> {
/// let other = session.fork("/home/me/project").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a session is opened by awaiting this"]
pub struct ForkSession {
    agent: Agent,
    id: SessionId,
    place: Place,
}

opens_a_session!(ForkSession);
tells_of_a_session!(ForkSessionResponse);

impl ForkSession {
    async fn open(self) -> Result<Session, Error> {
        let method = SessionFork::NAME;
        let offered = self.agent.capabilities().session_capabilities.fork.is_some();
        self.agent.check_offered(offered, method, "sessionCapabilities.fork")?;
        let place = self.place.check(&self.agent, method)?;
        let request = ForkSessionRequest::new(self.id.clone(), place.cwd)
            .mcp_servers(place.mcp_servers)
            .additional_directories(place.directories);
        let request = match place.system_prompt {
            Some(prompt) => request.system_prompt(prompt),
            None => request,
        };
        let shared = self.agent.shared();
        let roots = shared.roots(&request.cwd, &request.additional_directories).await;
        let opening = shared.sessions.opening(Arc::clone(&roots));
        let answer: Answer<ForkSessionResponse> =
            self.agent.call_for(method, Some(&self.id), &request).await?;
        let state = shared.sessions.attach(&answer.value.session_id, roots);
        drop(opening);
        Ok(Session::new(self.agent, state, answer.into()))
    }
}

impl Session {
    /// Makes another session that starts with this one's conversation (`session/fork`) and works in `cwd`, an absolute
    /// path. Needs `sessionCapabilities.fork`.
    pub fn fork(&self, cwd: impl AsRef<Path>) -> ForkSession {
        self.agent().fork_session(self.id().clone(), cwd)
    }
}

impl Agent {
    /// Makes a session that starts with the conversation of another one (`session/fork`) and works in `cwd`, an absolute
    /// path. Needs `sessionCapabilities.fork`.
    pub fn fork_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> ForkSession {
        ForkSession { agent: self.clone(), id: id.into(), place: Place::new(cwd.as_ref()) }
    }

    /// Puts a session away (`session/archive`). One that is open here is closed with it, as [`Session::close`] says.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.archive`, or the agent refused.
    pub async fn archive_session(&self, id: impl Into<SessionId>) -> Result<(), Error> {
        let id = id.into();
        self.check_archive(SessionArchive::NAME)?;
        self.end_session::<SessionArchive>(&id, &ArchiveSessionRequest::new(id.clone())).await?;
        Ok(())
    }

    /// Takes a session out of the archive (`session/unarchive`). It is listed again, and not open.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.archive`, or the agent refused.
    pub async fn unarchive_session(&self, id: impl Into<SessionId>) -> Result<(), Error> {
        let id = id.into();
        self.check_archive(SessionUnarchive::NAME)?;
        self.call::<SessionUnarchive>(Some(&id), &UnarchiveSessionRequest::new(id.clone())).await?;
        Ok(())
    }

    /// What a session is doing (`session/status`), without opening it.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.status`, or the agent refused.
    pub async fn session_status(&self, id: impl Into<SessionId>) -> Result<SessionStatusResponse, Error> {
        let id = id.into();
        let offered = self.capabilities().session_capabilities.status.is_some();
        self.check_offered(offered, SessionStatus::NAME, "sessionCapabilities.status")?;
        self.call::<SessionStatus>(Some(&id), &SessionStatusRequest::new(id.clone())).await
    }

    /// Gives a session a title (`session/set_title`) and returns what the agent has made of it.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `sessionCapabilities.title`, or the agent refused.
    pub async fn set_session_title(
        &self,
        id: impl Into<SessionId>,
        title: impl Into<String>,
    ) -> Result<String, Error> {
        let id = id.into();
        let offered = self.capabilities().session_capabilities.title.is_some();
        self.check_offered(offered, SessionSetTitle::NAME, "sessionCapabilities.title")?;
        let request = SetSessionTitleRequest::new(id.clone(), title);
        Ok(self.call::<SessionSetTitle>(Some(&id), &request).await?.title)
    }

    /// Whether the user is logged in, and as whom (`auth/status`). Changes of it come to a handler of
    /// `auth/status_update`.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `auth.status`, or the agent refused.
    pub async fn auth_status(&self) -> Result<AuthStatusResponse, Error> {
        self.check_offered(self.capabilities().auth.status.is_some(), AuthStatus::NAME, "auth.status")?;
        self.call::<AuthStatus>(None, &AuthStatusRequest::new()).await
    }

    /// The providers of models, and how each is set up (`providers/list`).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn list_providers(&self) -> Result<ListProvidersResponse, Error> {
        self.check_providers(ProvidersList::NAME)?;
        self.call::<ProvidersList>(None, &ListProvidersRequest::new()).await
    }

    /// Sets up a provider (`providers/set`); what it was set to before is replaced.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn set_provider(&self, provider: &SetProviderRequest) -> Result<(), Error> {
        self.check_providers(ProvidersSet::NAME)?;
        self.call::<ProvidersSet>(None, provider).await?;
        Ok(())
    }

    /// Turns a provider off (`providers/disable`). One that is `required` must stay on.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `providers`, or the agent refused.
    pub async fn disable_provider(&self, id: impl Into<ProviderId>) -> Result<(), Error> {
        self.check_providers(ProvidersDisable::NAME)?;
        self.call::<ProvidersDisable>(None, &DisableProviderRequest::new(id)).await?;
        Ok(())
    }

    /// Sends a notification of an MCP server that this client serves (`mcp/message`). Its requests come to a handler of
    /// that method.
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `mcpCapabilities.acp`, or the connection is over.
    pub async fn notify_mcp(&self, message: &MessageMcpNotification) -> Result<(), Error> {
        let method = McpMessageNotify::NAME;
        self.check_offered(self.capabilities().mcp_capabilities.acp, method, "mcpCapabilities.acp")?;
        self.peer().notify(method, message).await.map_err(|error| Error::of_call(method, None, error))
    }

    fn check_archive(&self, method: &'static str) -> Result<(), Error> {
        let offered = self.capabilities().session_capabilities.archive.is_some();
        self.check_offered(offered, method, "sessionCapabilities.archive")
    }

    fn check_providers(&self, method: &'static str) -> Result<(), Error> {
        self.check_offered(self.capabilities().providers.is_some(), method, "providers")
    }
}

/// Rule v1-u-sys-01.
pub(crate) fn check_system_prompt(
    prompt: Option<&SystemPrompt>,
    agent: &Agent,
    method: &'static str,
) -> Result<(), Error> {
    let Some(prompt) = prompt else { return Ok(()) };
    let offered = agent.capabilities().session_capabilities.system_prompt.as_ref();
    agent.check_offered(offered.is_some(), method, "sessionCapabilities.systemPrompt")?;
    let overrides =
        offered.and_then(|offered| offered.mode.as_ref()).is_some_and(|mode| mode.overrides.is_some());
    let is_allowed = prompt.mode != SystemPromptMode::Override || overrides;
    agent.check_offered(is_allowed, method, "sessionCapabilities.systemPrompt.mode.override")?;
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    if prompt.content.is_empty() || !prompt.content.iter().all(is_text) {
        let problem = "must be blocks of text, at least one".to_owned();
        return Err(Error::Argument { method, field: "systemPrompt.content", problem });
    }
    Ok(())
}
