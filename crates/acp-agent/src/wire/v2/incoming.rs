//! Messages of the client: their names and params in the vocabulary.

use std::borrow::Cow;

use acp_json::{Node, ReadError};
use acp_rpc::{Error as RpcError, Id};
use acp_types::method::{Method as _, Request, check_extension};
use acp_types::v1::{SessionConfigId, SessionId};
use acp_types::v2::{ReadsV2, WritesV2};
use acp_types::{v1, v2};

use super::as_is::read;

/// The vocabulary's names of requests that have another name in this version, or none.
const AUTHENTICATE: &str = v1::methods::Authenticate::NAME;
const LOGOUT: &str = v1::methods::Logout::NAME;
const LOAD: &str = v1::methods::SessionLoad::NAME;
const SET_MODE: &str = v1::methods::SessionSetMode::NAME;

/// Requests whose params and results are those of the vocabulary.
const ALIKE: &[&str] = &[
    alike::<v1::methods::SessionClose>(),
    alike::<v1::methods::SessionDelete>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::AuthStatus>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::McpMessage>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::ProvidersDisable>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::ProvidersList>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::ProvidersSet>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::SessionArchive>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::SessionSetTitle>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::SessionStatus>(),
    #[cfg(feature = "unstable")]
    alike::<v1::methods::SessionUnarchive>(),
];

/// Requests of another name, or with params that are checked, which are otherwise alike.
const _: [&str; 3] = [
    alike::<v1::methods::Authenticate>(),
    alike::<v1::methods::Logout>(),
    alike::<v1::methods::SessionList>(),
];

/// Returns the name of a request whose params and result are those of the vocabulary.
const fn alike<Q: Request>() -> &'static str
where
    Q::Params: ReadsV2,
    Q::Response: WritesV2,
{
    Q::NAME
}

/// Returns the name by which the vocabulary calls a message, or nothing if this version does not
/// have it. The params of requests are checked here: they are strict.
pub(in crate::wire) fn operation<'m>(
    method: &'m str,
    params: &Node<'_>,
) -> Result<Option<&'m str>, RpcError> {
    let operation = match method {
        AUTHENTICATE | LOGOUT | LOAD | SET_MODE => return Ok(None),
        v2::methods::AuthLogin::NAME => {
            check::<v2::LoginAuthRequest>(method, params)?;
            AUTHENTICATE
        }
        v2::methods::AuthLogout::NAME => LOGOUT,
        v2::methods::SessionNew::NAME => {
            let request = check::<v2::NewSessionRequest>(method, params)?;
            check_servers(&request.mcp_servers)?;
            method
        }
        v2::methods::SessionResume::NAME => {
            let request = check::<v2::ResumeSessionRequest>(method, params)?;
            check_servers(&request.mcp_servers)?;
            match request.replay_from {
                None => method,
                Some(v2::ReplayFrom::Start(_)) => LOAD,
                Some(_) => {
                    return Err(RpcError::invalid_params(
                        "`replayFrom.type`: this agent replays from `start` only",
                    ));
                }
            }
        }
        v2::methods::SessionList::NAME => {
            check::<v2::ListSessionsRequest>(method, params)?;
            method
        }
        v2::methods::SessionSetConfigOption::NAME => {
            let request = check::<v2::SetSessionConfigOptionRequest>(method, params)?;
            if let v2::SessionConfigValue::Unknown { .. } = request.value {
                return Err(RpcError::invalid_params("`type`: must be `id` or `boolean`"));
            }
            method
        }
        v2::methods::SessionPrompt::NAME => {
            if let Some(Node::Seq(blocks)) = params.get("prompt")
                && blocks.is_empty()
            {
                return Err(RpcError::invalid_params("`prompt`: must have a block"));
            }
            method
        }
        #[cfg(feature = "unstable")]
        v2::methods::SessionFork::NAME => {
            let request = check::<v2::ForkSessionRequest>(method, params)?;
            check_servers(&request.mcp_servers)?;
            method
        }
        v2::methods::Initialize::NAME => method,
        _ if ALIKE.contains(&method) || check_extension(method).is_ok() => method,
        _ => return Ok(None),
    };
    Ok(Some(operation))
}

/// Refuses ids that this version does not have (rule `v2-rpc-01`).
pub(in crate::wire) fn check_id(id: &Id) -> Result<(), RpcError> {
    match id {
        Id::Null => Err(RpcError::invalid_request("`id`: must be a string or an integer")),
        Id::Int(_) | Id::Str(_) => Ok(()),
    }
}

pub(in crate::wire) fn is_of_sessions(operation: &str) -> bool {
    operation.starts_with("session/")
}

pub(in crate::wire) fn is_cancel(method: &str) -> bool {
    method == v2::methods::SessionCancel::NAME
}

pub(in crate::wire) fn cancelled_session(params: Node<'_>) -> Result<SessionId, ReadError> {
    read::<v2::CancelSessionNotification>(params).map(|cancel| cancel.session_id)
}

/// Returns the session and the option that a request sets.
pub(in crate::wire) fn set_option(method: &str, params: &Node<'_>) -> Option<(SessionId, SessionConfigId)> {
    if method != v2::methods::SessionSetConfigOption::NAME {
        return None;
    }
    let text = |name: &str| params.get(name)?.as_str();
    Some((text("sessionId")?.into(), text("configId")?.into()))
}

/// Gives the params of `operation` the members that the vocabulary has.
pub(in crate::wire) fn params<'n>(operation: &str, mut params: Node<'n>) -> Node<'n> {
    match operation {
        _ if opens_session(operation) => {
            let servers = params.take("mcpServers").unwrap_or_default();
            let servers = if let Node::Seq(servers) = servers { servers } else { Vec::new() };
            let servers = servers.into_iter().map(server).collect();
            set(&mut params, "mcpServers", Node::Seq(servers));
            if let Some(mut system) = params.take("systemPrompt") {
                blocks(&mut system, "content");
                set(&mut params, "systemPrompt", system);
            }
        }
        v1::methods::SessionPrompt::NAME => blocks(&mut params, "prompt"),
        SET_MODE => {
            if let Some(mode) = params.take("value") {
                set(&mut params, "modeId", mode);
            }
        }
        _ => {}
    }
    params
}

fn opens_session(operation: &str) -> bool {
    #[cfg(feature = "unstable")]
    if operation == v1::methods::SessionFork::NAME {
        return true;
    }
    matches!(operation, v1::methods::SessionNew::NAME | v1::methods::SessionResume::NAME | LOAD)
}

/// Takes numbers out of blocks of content that are malformed in this version, which reads them as
/// absent: a size below zero, and a priority that is not between 0 and 1.
fn blocks(params: &mut Node<'_>, name: &'static str) {
    let Some(mut blocks) = params.take(name) else { return };
    if let Node::Seq(blocks) = &mut blocks {
        for block in blocks {
            let is_negative = |size: &Node<'_>| size.as_f64().is_some_and(|size| size < 0.0);
            if block.get("size").is_some_and(is_negative) {
                let _ = block.take("size");
            }
            let is_outside = |priority: f64| !(0.0..=1.0).contains(&priority);
            if let Some(mut hints) = block.take("annotations") {
                if hints.get("priority").and_then(Node::as_f64).is_some_and(is_outside) {
                    let _ = hints.take("priority");
                }
                set(block, "annotations", hints);
            }
        }
    }
    set(params, name, blocks);
}

/// Gives an MCP server the members that may be left out.
fn server(mut server: Node<'_>) -> Node<'_> {
    let members: &[&'static str] = match server.get("type").and_then(Node::as_str) {
        Some("stdio") => {
            let _ = server.take("type");
            &["args", "env"]
        }
        Some("http") => &["headers"],
        _ => &[],
    };
    for name in members {
        if server.get(name).is_none_or(Node::is_null) {
            set(&mut server, name, Node::Seq(Vec::new()));
        }
    }
    server
}

fn set<'n>(node: &mut Node<'n>, name: &'static str, value: Node<'n>) {
    let _ = node.take(name);
    if let Node::Map(members) = node {
        members.push((Cow::Borrowed(name), value));
    }
}

fn check<T: ReadsV2>(method: &str, params: &Node<'_>) -> Result<T, RpcError> {
    let params = if params.is_null() { Node::Map(Vec::new()) } else { params.clone() };
    read(params).map_err(|error| RpcError::invalid_params(format!("params of `{method}`: {error}")))
}

/// Refuses servers of kinds that this version does not have, and two of one name (rules
/// `v2-mcp-01`, `v2-new-06`).
fn check_servers(servers: &[v2::McpServer]) -> Result<(), RpcError> {
    let mut names = Vec::with_capacity(servers.len());
    for (index, server) in servers.iter().enumerate() {
        let name = match server {
            v2::McpServer::Http(server) => &server.name,
            v2::McpServer::Stdio(server) => &server.name,
            #[cfg(feature = "unstable")]
            v2::McpServer::Acp(server) => &server.name,
            _ => {
                return Err(RpcError::invalid_params(format!(
                    "`mcpServers[{index}].type`: must be `stdio` or `http`"
                )));
            }
        };
        if names.contains(&name) {
            return Err(RpcError::invalid_params(format!(
                "`mcpServers[{index}].name`: another server of this session has it"
            )));
        }
        names.push(name);
    }
    Ok(())
}
