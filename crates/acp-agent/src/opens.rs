//! What is the same for the three ways to open a session.

use std::path::Path;
use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::Meta;
use acp_types::v1::{
    LoadSessionRequest, LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionConfigOption, SessionId, SessionModeState,
};

use crate::agent::Agent;
use crate::call::Scope;
use crate::error::{Error, Result};
use crate::lifecycle::Lifecycle;
use crate::op::{self, Op};
use crate::opening::{Opened, Opening};
use crate::session::{Entry, fresh_id};

/// An operation that opens a session.
pub trait Opens: Op {
    /// Whether updates wait for the answer.
    const HOLDS_UPDATES: bool;

    /// The session's id, where the client names it.
    fn session_id(params: &Self::Params) -> Option<&SessionId>;
    /// The working directory.
    fn cwd(params: &Self::Params) -> &str;
    /// The other directories.
    fn additional_directories(params: &Self::Params) -> &[String];
    /// The MCP servers.
    fn mcp_servers(params: &Self::Params) -> &[McpServer];
    /// The answer.
    fn response(
        id: SessionId,
        modes: Option<SessionModeState>,
        config_options: Option<Vec<SessionConfigOption>>,
        meta: Option<Meta>,
    ) -> Self::Response;
}

impl<O: Opens> Lifecycle for O {
    type Admitted<A: Agent> = Opening<O>;
    type Answer<S: Send + Sync + 'static> = Opened<S>;

    fn admit<A: Agent>(scope: &Scope<A>, params: &Arc<O::Params>) -> Result<Opening<O>, RpcError> {
        check_path("cwd", O::cwd(params))?;
        for (index, path) in O::additional_directories(params).iter().enumerate() {
            check_path(&format!("additionalDirectories[{index}]"), path)?;
        }
        check_mcp_servers(scope, O::mcp_servers(params))?;
        let id = match O::session_id(params) {
            Some(id) => {
                check_idle(scope, id)?;
                id.clone()
            }
            None => fresh_id(),
        };
        Ok(Opening::new(Arc::clone(params), id, scope.client.clone(), scope.cancel.clone()))
    }

    fn settle<A: Agent>(
        scope: &Scope<A>,
        opening: &Opening<O>,
        outcome: Result<Opened<A::Session>>,
    ) -> Result<Reply, RpcError> {
        let opened = outcome.and_then(|opened| open(scope, opening, opened));
        opened.map_err(|error| {
            opening.fail();
            error.into_rpc()
        })
    }
}

/// Enters the session, before the client can name it, and makes the answer.
fn open<O: Opens, A: Agent>(
    scope: &Scope<A>,
    opening: &Opening<O>,
    opened: Opened<A::Session>,
) -> Result<Reply> {
    let Opened { state, session_id, modes, config_options, meta } = opened;
    let sessions = &scope.connection.sessions;
    if O::session_id(opening.request()).is_none() {
        if let Some(id) = session_id {
            opening.choose_id(id);
        }
        if sessions.get(opening.session_id()).is_some() {
            let id = opening.session_id();
            return Err(Error::from(format!("the agent opened two sessions with the id `{id}`")));
        }
    } else {
        check_idle(scope, opening.session_id())?;
    }
    let id = opening.session_id().clone();
    sessions.insert(Entry::new(id.clone(), state, modes.as_ref()));
    let reply = Reply::new(O::response(id, modes, config_options, meta));
    let opening = opening.clone();
    Ok(reply.after(move |peer| opening.release(peer)))
}

/// A session cannot be opened again in the middle of a turn.
fn check_idle<A: Agent>(scope: &Scope<A>, id: &SessionId) -> Result<(), RpcError> {
    match scope.connection.sessions.get(id) {
        Some(session) if session.entry.is_busy() => Err(session.entry.busy()),
        _ => Ok(()),
    }
}

/// Refuses relative paths (rules `v1-new-03`, `v1-new-07`). A path of another system counts as relative,
/// except that `/…` is absolute everywhere.
pub(crate) fn check_path(field: &str, path: &str) -> Result<(), RpcError> {
    if path.starts_with('/') || Path::new(path).is_absolute() {
        return Ok(());
    }
    Err(RpcError::invalid_params(format!("`{field}` must be an absolute path")))
}

fn check_mcp_servers<A: Agent>(scope: &Scope<A>, servers: &[McpServer]) -> Result<(), RpcError> {
    let offered = &scope.client.agent_capabilities().mcp_capabilities;
    for (index, server) in servers.iter().enumerate() {
        let missing = match server {
            McpServer::Http(_) if !offered.http => "http",
            McpServer::Sse(_) if !offered.sse => "sse",
            McpServer::Unknown(unknown) => {
                let kind = unknown.tag();
                return Err(RpcError::invalid_params(format!(
                    "`mcpServers[{index}]`: servers of kind `{kind}` are not known here"
                )));
            }
            _ => continue,
        };
        return Err(RpcError::invalid_params(format!(
            "`mcpServers[{index}]`: this agent does not offer `mcpCapabilities.{missing}`"
        )));
    }
    Ok(())
}

/// The three requests have the same members, but for the session's id, which a new session does not have yet.
macro_rules! opens {
    ($marker:ident, $request:ident, named: $named:expr, holds: $holds:literal, answer: $answer:expr) => {
        impl Opens for op::$marker {
            const HOLDS_UPDATES: bool = $holds;

            fn session_id(params: &$request) -> Option<&SessionId> {
                let named: fn(&$request) -> Option<&SessionId> = $named;
                named(params)
            }

            fn cwd(params: &$request) -> &str {
                &params.cwd
            }

            fn additional_directories(params: &$request) -> &[String] {
                &params.additional_directories
            }

            fn mcp_servers(params: &$request) -> &[McpServer] {
                &params.mcp_servers
            }

            fn response(
                id: SessionId,
                modes: Option<SessionModeState>,
                config_options: Option<Vec<SessionConfigOption>>,
                meta: Option<Meta>,
            ) -> Self::Response {
                let answer: fn(SessionId) -> Self::Response = $answer;
                let mut response = answer(id);
                response.modes = modes;
                response.config_options = config_options;
                response.meta = meta;
                response
            }
        }
    };
}

opens!(
    NewSession, NewSessionRequest,
    named: |_| None, holds: true, answer: |id| NewSessionResponse::new(id)
);
opens!(
    LoadSession, LoadSessionRequest,
    named: |params| Some(&params.session_id), holds: false, answer: |_| LoadSessionResponse::new()
);
opens!(
    ResumeSession, ResumeSessionRequest,
    named: |params| Some(&params.session_id), holds: true, answer: |_| ResumeSessionResponse::new()
);
