//! Capabilities of both sides.

use acp_types::v1;
use acp_types::v2;

/// Returns the client's capabilities in the vocabulary. This version has no files and terminals of
/// the client. Notices, compaction, plans with ids, subagents and options that are on or off need
/// no capability (rules `v2-cap-05`, `v2-cfg-05`).
pub(super) fn client_capabilities(offered: v2::ClientCapabilities) -> v1::ClientCapabilities {
    let mut options = v1::SessionConfigOptionsCapabilities::new();
    options.boolean = Some(v1::BooleanConfigOptionCapabilities::new());
    let mut session = v1::ClientSessionCapabilities::new();
    session.config_options = Some(options);
    session.notices = Some(v1::NoticeCapabilities::new());
    session.compaction = Some(v1::CompactionCapabilities::new());
    let mut capabilities = v1::ClientCapabilities::new();
    capabilities.session = Some(session);
    #[cfg(feature = "unstable")]
    {
        capabilities.plan = Some(v1::PlanCapabilities::new());
        capabilities.subagents = Some(v1::SubagentCapabilities::new());
    }
    if let Some(auth) = offered.auth {
        capabilities.auth.terminal = auth.terminal.is_some();
        capabilities.auth.meta = auth.meta;
    }
    capabilities.elicitation = offered.elicitation.map(|offered| {
        let mut elicitation = v1::ElicitationCapabilities::new();
        elicitation.form = offered.form.map(|form| {
            let mut capabilities = v1::ElicitationFormCapabilities::new();
            capabilities.meta = form.meta;
            capabilities
        });
        elicitation.url = offered.url.map(|url| {
            let mut capabilities = v1::ElicitationUrlCapabilities::new();
            capabilities.meta = url.meta;
            capabilities
        });
        elicitation.meta = offered.meta;
        elicitation
    });
    capabilities.meta = offered.meta;
    capabilities
}

/// Returns the agent's capabilities. Without everything that sessions take, the agent has none
/// (rule `v2-cap-02`).
pub(super) fn agent_capabilities(own: v1::AgentCapabilities, has_sessions: bool) -> v2::AgentCapabilities {
    let mut capabilities = v2::AgentCapabilities::new();
    capabilities.meta = own.meta;
    if has_sessions {
        let mut session = v2::SessionCapabilities::new();
        session.prompt = prompt_capabilities(own.prompt_capabilities);
        session.mcp = mcp_capabilities(&own.mcp_capabilities);
        session.delete = own.session_capabilities.delete.map(|_| v2::SessionDeleteCapabilities::new());
        let directories = own.session_capabilities.additional_directories;
        session.additional_directories =
            directories.map(|_| v2::SessionAdditionalDirectoriesCapabilities::new());
        session.meta = own.session_capabilities.meta;
        capabilities.session = Some(session);
    }
    capabilities
}

fn prompt_capabilities(own: v1::PromptCapabilities) -> Option<v2::PromptCapabilities> {
    let mut prompt = v2::PromptCapabilities::new();
    prompt.image = own.image.then(v2::PromptImageCapabilities::new);
    prompt.audio = own.audio.then(v2::PromptAudioCapabilities::new);
    prompt.embedded_context = own.embedded_context.then(v2::PromptEmbeddedContextCapabilities::new);
    prompt.meta = own.meta;
    (prompt != v2::PromptCapabilities::new()).then_some(prompt)
}

/// Returns the transports of MCP servers. An agent that takes servers by HTTP takes them by stdio,
/// too. One that takes nothing else may ignore them altogether, so it offers none.
fn mcp_capabilities(own: &v1::McpCapabilities) -> Option<v2::McpCapabilities> {
    if !takes_mcp_servers(own) {
        return None;
    }
    let mut mcp = v2::McpCapabilities::new();
    mcp.stdio = Some(v2::McpStdioCapabilities::new());
    mcp.http = own.http.then(v2::McpHttpCapabilities::new);
    mcp.meta = own.meta.clone();
    Some(mcp)
}

/// Returns whether an agent of these capabilities takes MCP servers at all in this version.
pub(in crate::wire) const fn takes_mcp_servers(own: &v1::McpCapabilities) -> bool {
    own.http || own.sse
}
