//! Capabilities, which follow from the facts.

use acp_types::v1::{
    AgentCapabilities, Implementation, McpCapabilities, PromptCapabilities,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities,
};

use crate::facts::profile::{Profile, PromptContent};
use crate::generated::capabilities::advertise;
use crate::op::Operation;

impl Profile {
    /// Returns the `agentInfo` of the answer to `initialize`.
    pub(crate) fn info(&self) -> Implementation {
        let info = Implementation::new(self.name, self.version);
        match self.title {
            Some(title) => info.title(title),
            None => info,
        }
    }

    /// Returns the `agentCapabilities` of an agent that has handlers for these operations, without
    /// the [`_meta`](crate::Agent::capability_meta).
    pub(crate) fn capabilities(&self, has: impl Fn(Operation) -> bool) -> AgentCapabilities {
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
        advertise(&mut capabilities, has);
        capabilities
    }
}
