//! Capabilities, which follow from the facts.

use acp_types::v1::{
    AgentCapabilities, Implementation, McpCapabilities, PromptCapabilities,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities,
};

use crate::facts::profile::{Profile, PromptContent};
use crate::generated::capabilities::advertise;

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
        let PromptContent { image, audio, embedded_context } = self.prompt;
        let mut sessions = SessionCapabilities::new();
        sessions.additional_directories =
            self.additional_directories.then(SessionAdditionalDirectoriesCapabilities::new);
        let mut capabilities = AgentCapabilities::new()
            .prompt_capabilities(
                PromptCapabilities::new().image(image).audio(audio).embedded_context(embedded_context),
            )
            .mcp_capabilities(McpCapabilities::new().http(self.mcp.http).sse(self.mcp.sse))
            .session_capabilities(sessions);
        advertise(&mut capabilities, |operation| self.operations.contains(operation));
        capabilities
    }
}
