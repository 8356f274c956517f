//! Capabilities, which follow from the facts.

use acp_types::v1::{
    AgentAuthCapabilities, AgentCapabilities, Implementation, LogoutCapabilities, McpCapabilities,
    PromptCapabilities, SessionAdditionalDirectoriesCapabilities, SessionCapabilities,
    SessionCloseCapabilities, SessionDeleteCapabilities, SessionListCapabilities, SessionResumeCapabilities,
};
#[cfg(feature = "unstable")]
use acp_types::v1::{
    AuthStatusCapabilities, ProvidersCapabilities, SessionArchiveCapabilities, SessionForkCapabilities,
    SessionStatusCapabilities, SessionTitleCapabilities,
};

#[cfg(feature = "unstable")]
use crate::facts::operations::Operations;
use crate::facts::profile::{Profile, PromptContent};
use crate::op::Operation;

impl Profile<'_> {
    /// Returns the `agentInfo` of the answer to `initialize`.
    #[must_use]
    pub fn info(&self) -> Implementation {
        let info = Implementation::new(self.name, self.version);
        match self.title {
            Some(title) => info.title(title),
            None => info,
        }
    }

    /// Returns the `agentCapabilities` of the answer to `initialize`, without the
    /// [`_meta`](crate::Agent::capability_meta).
    #[must_use]
    pub fn capabilities(&self) -> AgentCapabilities {
        let has = |operation| self.operations.contains(operation);
        let PromptContent { image, audio, embedded_context } = self.prompt;
        let mut sessions = SessionCapabilities::new();
        sessions.list = has(Operation::ListSessions).then(SessionListCapabilities::new);
        sessions.resume = has(Operation::ResumeSession).then(SessionResumeCapabilities::new);
        sessions.close = has(Operation::CloseSession).then(SessionCloseCapabilities::new);
        sessions.delete = has(Operation::DeleteSession).then(SessionDeleteCapabilities::new);
        sessions.additional_directories =
            self.additional_directories.then(SessionAdditionalDirectoriesCapabilities::new);
        let mut auth = AgentAuthCapabilities::new();
        auth.logout = has(Operation::Logout).then(LogoutCapabilities::new);
        let capabilities = AgentCapabilities::new()
            .load_session(has(Operation::LoadSession))
            .prompt_capabilities(
                PromptCapabilities::new().image(image).audio(audio).embedded_context(embedded_context),
            )
            .mcp_capabilities(McpCapabilities::new().http(self.mcp.http).sse(self.mcp.sse))
            .session_capabilities(sessions)
            .auth(auth);
        #[cfg(feature = "unstable")]
        let capabilities = advertise_unstable(self.operations, capabilities);
        capabilities
    }
}

/// Adds the capabilities of the unstable operations.
#[cfg(feature = "unstable")]
fn advertise_unstable(operations: Operations, mut capabilities: AgentCapabilities) -> AgentCapabilities {
    let has = |operation| operations.contains(operation);
    let sessions = &mut capabilities.session_capabilities;
    sessions.fork = has(Operation::ForkSession).then(SessionForkCapabilities::new);
    sessions.archive = has(Operation::ArchiveSession).then(SessionArchiveCapabilities::new);
    sessions.status = has(Operation::SessionStatus).then(SessionStatusCapabilities::new);
    sessions.title = has(Operation::SetTitle).then(SessionTitleCapabilities::new);
    capabilities.auth.status = has(Operation::AuthStatus).then(AuthStatusCapabilities::new);
    capabilities.mcp_capabilities.acp = has(Operation::McpMessage);
    capabilities.providers = has(Operation::ListProviders).then(ProvidersCapabilities::new);
    capabilities
}
