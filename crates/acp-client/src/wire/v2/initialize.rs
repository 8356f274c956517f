//! The params and the result of `initialize`.

use acp_json::{Map, Node, ReadError, Value};
use acp_types::v1::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodTerminal, Implementation, InitializeRequest,
    InitializeResponse, LogoutCapabilities, McpCapabilities, PromptCapabilities, ProtocolVersion,
    SessionCapabilities, SessionCloseCapabilities, SessionListCapabilities, SessionResumeCapabilities,
};
use acp_types::v2::ReadsV2;
use acp_types::{UnknownVariant, v2};
use serde_core::ser::SerializeMap;

use super::as_is::{self, member, meta};
use crate::wire::initialized::Initialized;

/// Writes the params. Of the capabilities version 2 has those for logins in a terminal and for
/// questions to the user; it takes all others for granted, or does not have them.
pub(super) fn write<M: SerializeMap>(request: &InitializeRequest, params: &mut M) -> Result<(), M::Error> {
    let (wanted, mut capabilities) = (&request.client_capabilities, v2::ClientCapabilities::new());
    if wanted.auth.terminal {
        let auth = v2::ClientAuthCapabilities::new().terminal(v2::TerminalAuthCapabilities::new());
        capabilities = capabilities.auth(auth);
    }
    if let Some(elicitation) = &wanted.elicitation {
        let mut modes = v2::ElicitationCapabilities::new();
        modes.form = elicitation.form.as_ref().map(|_| v2::ElicitationFormCapabilities::new());
        modes.url = elicitation.url.as_ref().map(|_| v2::ElicitationUrlCapabilities::new());
        capabilities = capabilities.elicitation(modes);
    }
    capabilities.meta = wanted.meta.clone();
    member(params, "protocolVersion", &ProtocolVersion::V2)?;
    // There always is one: the builder has a default.
    if let Some(info) = &request.client_info {
        member(params, "info", info)?;
    }
    if capabilities != v2::ClientCapabilities::new() {
        member(params, "capabilities", &capabilities)?;
    }
    meta(params, request.meta.as_ref())
}

/// Reads the result.
pub(in crate::wire) fn read(result: Node<'_>) -> Result<Initialized, ReadError> {
    let session = result.get("capabilities").and_then(|capabilities| capabilities.get("session"));
    let session = session.map(session_capabilities).unwrap_or_default();
    let result: v2::InitializeResponse = as_is::read(result)?;
    let takes_stdio = result.capabilities.session.as_ref().and_then(|session| session.mcp.as_ref());
    let takes_stdio = takes_stdio.is_some_and(|mcp| mcp.stdio.is_some());
    let has_login = !result.auth_methods.is_empty();
    let mut capabilities = capabilities(result.capabilities, session);
    capabilities.auth.logout = has_login.then(LogoutCapabilities::new);
    let mut response = InitializeResponse::new(result.protocol_version)
        .agent_capabilities(capabilities)
        .auth_methods(result.auth_methods.into_iter().map(auth_method).collect::<Vec<_>>())
        .agent_info(info(result.info));
    response.meta = result.meta;
    Ok(Initialized { response, takes_stdio_servers: takes_stdio })
}

fn info(info: v2::Implementation) -> Implementation {
    let mut read = Implementation::new(info.name, info.version);
    read.title = info.title;
    read.meta = info.meta;
    read
}

/// Reads the capabilities of sessions that both versions have alike. One that is malformed is not
/// offered.
fn session_capabilities(session: &Node<'_>) -> SessionCapabilities {
    fn offered<T: ReadsV2>(session: &Node<'_>, name: &str) -> Option<T> {
        as_is::read(session.get(name)?.clone()).ok()
    }
    let mut read = SessionCapabilities::new();
    read.delete = offered(session, "delete");
    read.additional_directories = offered(session, "additionalDirectories");
    #[cfg(feature = "unstable")]
    {
        read.system_prompt = offered(session, "systemPrompt");
        read.fork = offered(session, "fork");
        read.archive = offered(session, "archive");
        read.status = offered(session, "status");
        read.title = offered(session, "title");
    }
    read.meta = offered(session, "_meta");
    read
}

fn capabilities(offered: v2::AgentCapabilities, known: SessionCapabilities) -> AgentCapabilities {
    let mut read = AgentCapabilities::new();
    read.meta = offered.meta;
    #[cfg(feature = "unstable")]
    unstable::add(&mut read, offered.auth, offered.providers);
    let Some(session) = offered.session else { return read };
    // An agent with sessions has all of these.
    let mut known = known;
    known.list = Some(SessionListCapabilities::new());
    known.resume = Some(SessionResumeCapabilities::new());
    known.close = Some(SessionCloseCapabilities::new());
    read.load_session = true;
    read.session_capabilities = known;
    if let Some(prompt) = session.prompt {
        read.prompt_capabilities = PromptCapabilities::new()
            .image(prompt.image.is_some())
            .audio(prompt.audio.is_some())
            .embedded_context(prompt.embedded_context.is_some());
    }
    if let Some(mcp) = session.mcp {
        read.mcp_capabilities = McpCapabilities::new().http(mcp.http.is_some());
        #[cfg(feature = "unstable")]
        {
            read.mcp_capabilities.acp = mcp.acp.is_some();
        }
    }
    read
}

fn auth_method(method: v2::AuthMethod) -> AuthMethod {
    match method {
        v2::AuthMethod::Agent(method) => {
            let mut read = AuthMethodAgent::new(method.method_id, method.name);
            read.description = method.description;
            read.meta = method.meta;
            read.into()
        }
        v2::AuthMethod::Terminal(method) => {
            let mut read = AuthMethodTerminal::new(method.method_id, method.name).args(method.args);
            read.description = method.description;
            read.env = method.env.into_iter().map(|variable| (variable.name, variable.value)).collect();
            read.meta = method.meta;
            read.into()
        }
        v2::AuthMethod::Unknown { method_id, name, other } => {
            let mut members = other.members().clone();
            members.insert("id".to_owned(), Value::from(method_id.as_str()));
            members.insert("name".to_owned(), Value::from(name));
            AuthMethod::Unknown(UnknownVariant::new(other.tag(), members))
        }
        // The list of kinds is closed: all others are `Unknown`.
        other => AuthMethod::Unknown(UnknownVariant::new(other.tag(), Map::default())),
    }
}

/// Returns the name of a capability of version 1 in version 2.
pub(in crate::wire) fn capability(capability: &'static str) -> &'static str {
    match capability {
        "loadSession"
        | "sessionCapabilities.list"
        | "sessionCapabilities.resume"
        | "sessionCapabilities.close"
        | "sessionCapabilities.resume` or `loadSession" => "session",
        "sessionCapabilities.delete" => "session.delete",
        "sessionCapabilities.additionalDirectories" => "session.additionalDirectories",
        "sessionCapabilities.archive" => "session.archive",
        "sessionCapabilities.fork" => "session.fork",
        "sessionCapabilities.status" => "session.status",
        "sessionCapabilities.title" => "session.title",
        "sessionCapabilities.systemPrompt" => "session.systemPrompt",
        "sessionCapabilities.systemPrompt.mode.override" => "session.systemPrompt.mode.override",
        "promptCapabilities.image" => "session.prompt.image",
        "promptCapabilities.audio" => "session.prompt.audio",
        "promptCapabilities.embeddedContext" => "session.prompt.embeddedContext",
        "mcpCapabilities.http" => "session.mcp.http",
        "mcpCapabilities.acp" => "session.mcp.acp",
        "auth.logout" => "authMethods",
        "modes" => "configOptions",
        capability => capability,
    }
}

#[cfg(feature = "unstable")]
mod unstable {
    use acp_types::v1::{AgentCapabilities, AuthStatusCapabilities, ProvidersCapabilities};
    use acp_types::v2;

    /// Adds the capabilities that only the unstable schema has.
    pub(super) fn add(
        read: &mut AgentCapabilities,
        auth: Option<v2::AgentAuthCapabilities>,
        providers: Option<v2::ProvidersCapabilities>,
    ) {
        read.auth.status = auth.and_then(|auth| auth.status).map(|_| AuthStatusCapabilities::new());
        read.providers = providers.map(|_| ProvidersCapabilities::new());
    }
}
