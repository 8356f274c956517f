//! What is the same for the three ways to open a session.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::Meta;
use acp_types::v1::{
    LoadSessionRequest, LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse,
    SessionConfigOption, SessionId, SessionModeState,
};

use crate::agent::Agent;
use crate::call::Scope;
use crate::error::{Error, Result};
use crate::lifecycle::Lifecycle;
use crate::op::Op;
use crate::opened::Opened;
use crate::opening::Opening;
use crate::session::{Entry, Session, fresh_id};
use crate::session_updates::SessionUpdates;
use crate::sessions::Claim;
use crate::settings::{Settings, retain_offered};
use crate::store::{self, Reopening};
use crate::turns::Turns;

/// An operation that opens a session.
pub trait Opens: Op {
    /// Whether updates wait for the answer.
    const HOLDS_UPDATES: bool;

    /// The session's id, where the client names it.
    fn session_id(params: &Self::Params) -> Option<&SessionId>;
    /// [`Lifecycle::of_request_for_new`].
    fn of_request_for_new(_: NewSessionRequest) -> Option<Self::Params> {
        None
    }
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

/// A session that is being opened. Nobody else opens or closes one of its id, until the answer.
pub struct Entering<O: Op, S> {
    pub(crate) opening: Opening<O>,
    /// The claim to the id, where the client named it.
    _claim: Option<Claim<S>>,
}

/// Also where the handler panicked.
impl<O: Op, S> Drop for Entering<O, S> {
    fn drop(&mut self) {
        if !self.opening.is_opened() {
            self.opening.fail();
            if let Some(mcp) = self.opening.mcp() {
                mcp.end_soon();
            }
        }
    }
}

impl<O: Op, S> fmt::Debug for Entering<O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entering").field("opening", &self.opening).finish_non_exhaustive()
    }
}

impl<O: Opens> Lifecycle for O {
    type Admitted<A: Agent> = Entering<O, A::Session>;
    type Answer<S: Send + Sync + 'static> = Opened<S>;

    fn of_request_for_new(request: NewSessionRequest) -> Option<O::Params> {
        <O as Opens>::of_request_for_new(request)
    }

    fn admit<A: Agent>(
        scope: &Scope<A>,
        params: &Arc<O::Params>,
    ) -> Result<Entering<O, A::Session>, RpcError> {
        check_path("cwd", O::cwd(params))?;
        check_directories(scope, O::additional_directories(params))?;
        // Where the library connects them, one that cannot be reached is one that has failed (rule `acp-mcp-05`).
        if scope.connection.servers.is_none() {
            check_mcp_servers(scope, O::mcp_servers(params))?;
        }
        let (id, claim) = match named::<O, A>(scope, params) {
            Some(id) => (id.clone(), Some(scope.connection.sessions.claim_opening(id)?)),
            None => (fresh_id(), None),
        };
        let opening = Opening::new(
            Arc::clone(params),
            id,
            scope.client.clone(),
            scope.cancel.clone(),
            scope.reopening.as_ref(),
        );
        Ok(Entering { opening, _claim: claim })
    }

    /// Opens a session that is stored, and replays it for `session/load`; begins to connect MCP servers.
    async fn wait<A: Agent>(scope: &Scope<A>, entering: &Entering<O, A::Session>) -> Result<()> {
        let opening = &entering.opening;
        if let Some(keeper) = &scope.connection.keeper
            && named::<O, A>(scope, opening.request()).is_some()
        {
            store::reopen(keeper, scope, opening).await?;
        }
        if let Some(servers) = &scope.connection.servers {
            opening.connect(servers.start(opening));
        }
        Ok(())
    }

    async fn settle<A: Agent>(
        scope: &Scope<A>,
        entering: &Entering<O, A::Session>,
        outcome: Result<Opened<A::Session>>,
    ) -> Result<Reply, RpcError> {
        let opening = &entering.opening;
        let opened = match outcome {
            Ok(opened) => open(scope, opening, opened).await,
            Err(error) => Err(error),
        };
        match opened {
            Ok(reply) => Ok(reply),
            Err(error) => {
                opening.fail();
                stop_recording(scope, opening).await;
                Err(error.into_rpc())
            }
        }
    }
}

/// The id that the client has named.
fn named<'a, O: Opens, A: Agent>(scope: &'a Scope<A>, params: &'a O::Params) -> Option<&'a SessionId> {
    scope.reopening.as_ref().map(Reopening::session_id).or_else(|| O::session_id(params))
}

/// The session was not opened: others can open it, unless it is open here as it was before.
async fn stop_recording<O: Opens, A: Agent>(scope: &Scope<A>, opening: &Opening<O>) {
    let is_open = scope.connection.sessions.get(opening.session_id()).is_some();
    if let Some(recorder) = opening.recorder().filter(|_| !is_open) {
        // The error that the client is told came first.
        let _ = recorder.close().await;
    }
}

/// Enters the session, before the client can name it, and makes the answer.
async fn open<O: Opens, A: Agent>(
    scope: &Scope<A>,
    opening: &Opening<O>,
    opened: Opened<A::Session>,
) -> Result<Reply> {
    let Opened { state, session_id, modes, mut config_options, meta } = opened;
    if let Some(options) = &mut config_options {
        retain_offered(options, scope.client.capabilities());
    }
    let is_named = named::<O, A>(scope, opening.request()).is_some();
    let id = session_id.filter(|_| !is_named).unwrap_or_else(|| opening.session_id().clone());
    if let (false, Some(keeper)) = (is_named, &scope.connection.keeper) {
        let request = opening.request();
        opening.keep(keeper.create(&id, O::cwd(request), O::additional_directories(request)).await?);
    }
    if let (true, Some(recorder)) = (is_named, opening.recorder()) {
        recorder.set_directories(O::additional_directories(opening.request())).await?;
    }
    let settings = Settings::new(modes.as_ref(), config_options.as_deref());
    let recorder = opening.recorder().cloned();
    let updates = SessionUpdates::new(
        id.clone(),
        O::cwd(opening.request()),
        scope.client.clone(),
        settings,
        opening.gate(&id),
        recorder,
    );
    let mcp = opening.mcp().cloned();
    if let Some(mcp) = &mcp {
        mcp.named(&id);
    }
    let entry = Entry { id: id.clone(), state, updates: updates.clone(), turns: Turns::opening(), mcp };
    let session = Session { entry: Arc::new(entry) };
    let sessions = &scope.connection.sessions;
    if is_named {
        sessions.open(session.clone());
    } else if sessions.open_new(session.clone()).is_err() {
        return Err(Error::from(format!("the agent opened two sessions with the id `{id}`")));
    }
    opening.opened(updates);
    let reply = match scope.reopening.clone() {
        Some(reopening) => reopening.reply(modes, config_options, meta),
        None => Reply::new(O::response(id, modes, config_options, meta)),
    };
    let opening = opening.clone();
    Ok(reply.after(move |_| {
        opening.release();
        session.entry.turns.opened();
    }))
}

/// Refuses relative paths, and directories that the agent does not take (rules `v1-new-07`, `v1-cap-17`).
fn check_directories<A: Agent>(scope: &Scope<A>, directories: &[String]) -> Result<(), RpcError> {
    for (index, path) in directories.iter().enumerate() {
        check_path(&format!("additionalDirectories[{index}]"), path)?;
    }
    let offered = &scope.client.agent_capabilities().session_capabilities.additional_directories;
    if offered.is_some() || directories.is_empty() {
        return Ok(());
    }
    Err(RpcError::invalid_params(
        "`additionalDirectories`: this agent does not offer `sessionCapabilities.additionalDirectories`",
    ))
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
            #[cfg(feature = "unstable")]
            McpServer::Acp(_) if !offered.acp => "acp",
            McpServer::Stdio(_) | McpServer::Http(_) | McpServer::Sse(_) => continue,
            #[cfg(feature = "unstable")]
            McpServer::Acp(_) => continue,
            // Or one that another crate has switched on in the types.
            unknown => {
                let kind = unknown.tag().unwrap_or_default();
                return Err(RpcError::invalid_params(format!(
                    "`mcpServers[{index}]`: servers of kind `{kind}` are not known here"
                )));
            }
        };
        return Err(RpcError::invalid_params(format!(
            "`mcpServers[{index}]`: this agent does not offer `mcpCapabilities.{missing}`"
        )));
    }
    Ok(())
}

/// The three requests have the same members, but for the session's id, which a new session does not have yet.
macro_rules! opens {
    (
        $marker:ident, $request:ty, named: $named:expr, holds: $holds:literal, answer: $answer:expr
        $(, of_request_for_new: $of_new:expr)?
    ) => {
        impl $crate::Opens for $crate::op::$marker {
            const HOLDS_UPDATES: bool = $holds;

            fn session_id(params: &$request) -> Option<&$crate::types::SessionId> {
                let named: fn(&$request) -> Option<&$crate::types::SessionId> = $named;
                named(params)
            }

            $(fn of_request_for_new(request: $crate::types::NewSessionRequest) -> Option<$request> {
                let of_new: fn($crate::types::NewSessionRequest) -> Option<$request> = $of_new;
                of_new(request)
            })?

            fn cwd(params: &$request) -> &str {
                &params.cwd
            }

            fn additional_directories(params: &$request) -> &[String] {
                &params.additional_directories
            }

            fn mcp_servers(params: &$request) -> &[$crate::types::McpServer] {
                &params.mcp_servers
            }

            fn response(
                id: $crate::types::SessionId,
                modes: Option<$crate::types::SessionModeState>,
                config_options: Option<Vec<$crate::types::SessionConfigOption>>,
                meta: Option<$crate::Meta>,
            ) -> Self::Response {
                let answer: fn($crate::types::SessionId) -> Self::Response = $answer;
                let mut response = answer(id);
                response.modes = modes;
                response.config_options = config_options;
                response.meta = meta;
                response
            }
        }
    };
}

pub(crate) use opens;

opens!(
    NewSession, NewSessionRequest,
    named: |_| None, holds: true, answer: |id| NewSessionResponse::new(id), of_request_for_new: Some
);
opens!(
    LoadSession, LoadSessionRequest,
    named: |params| Some(&params.session_id), holds: false, answer: |_| LoadSessionResponse::new()
);
