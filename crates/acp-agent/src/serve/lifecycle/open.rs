//! Operations that open a session.

use std::sync::Arc;

use acp_handlers::CallContext as _;
use acp_json::{Node, ReadError};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::SessionId;

use crate::error::{Error, Result};
use crate::handler::scope::Scope;
use crate::mcp::{OfSession, Servers};
use crate::open::checks::{check_directories, check_mcp_servers, check_path};
use crate::open::guard::OpenGuard;
use crate::open::opened::Opened;
use crate::open::opening::Opening;
use crate::open::reopen::Reopening;
use crate::open::request::OpensSession;
use crate::open::restored::Stated;
use crate::session::queue::Turns;
use crate::session::{Entry, Session};
use crate::store::{RecordKind, Recorder, StoreHandle, StoredState};
use crate::updates::commands::SessionCommands;
use crate::updates::decisions::Permissions;
use crate::updates::directories::Directories;
use crate::updates::session_updates::{OpenSession, SessionUpdates};
use crate::updates::settings::{Settings, retain_offered};
use crate::updates::usage::UsageMeter;
use crate::wire::setup::Setup;

/// Serves an operation that opens a session.
macro_rules! opens {
    ($marker:ident) => {
        impl<S: Send + Sync + 'static> ::acp_handlers::Admit<$crate::op::$marker> for $crate::Scope<S> {
            type Admission = ::std::sync::Arc<$crate::open::guard::OpenGuard<$crate::op::$marker, S>>;

            fn params(
                &self,
                params: ::acp_json::Node<'_>,
            ) -> ::std::result::Result<<$crate::op::$marker as $crate::Op>::Params, ::acp_json::ReadError>
            {
                $crate::serve::lifecycle::open::params::<$crate::op::$marker, S>(self, params)
            }

            fn admit(
                &self,
                params: &::std::sync::Arc<<$crate::op::$marker as $crate::Op>::Params>,
            ) -> ::std::result::Result<Self::Admission, $crate::RpcError> {
                $crate::serve::lifecycle::open::admit(self, params).map(::std::sync::Arc::new)
            }
        }

        impl<S: Send + Sync + 'static> ::acp_handlers::ServeRequest<$crate::op::$marker>
            for $crate::Scope<S>
        {
            type Answer = $crate::Opened<S>;

            async fn ready(call: &$crate::Call<$crate::op::$marker, S>) -> $crate::Result<()> {
                $crate::serve::lifecycle::open::ready(call.context(), &call.admission().opening).await
            }

            async fn finish(
                call: &$crate::Call<$crate::op::$marker, S>,
                outcome: $crate::Result<$crate::Opened<S>>,
            ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
                let opening = &call.admission().opening;
                $crate::serve::lifecycle::open::finish(call.context(), opening, outcome).await
            }
        }
    };
}

pub(crate) use opens;

opens!(NewSession);
opens!(LoadSession);

/// Reads the params. A stored session that the handler for new ones opens has those already.
pub(crate) fn params<O: OpensSession, S: Send + Sync + 'static>(
    scope: &Scope<S>,
    params: Node<'_>,
) -> Result<O::Params, ReadError> {
    let reopened = scope.reopening.as_ref().map(Reopening::request_for_new);
    match reopened.and_then(O::of_request_for_new) {
        Some(params) => Ok(params),
        None => scope.read::<O>(params),
    }
}

pub(crate) fn admit<O: OpensSession, S>(
    scope: &Scope<S>,
    params: &Arc<O::Params>,
) -> Result<OpenGuard<O, S>, RpcError> {
    check_path("cwd", O::cwd(params))?;
    check_directories(&scope.client, O::additional_directories(params))?;
    // If the library connects servers, one that cannot be reached is one that has failed (rule
    // `acp-mcp-05`).
    if scope.connection.servers.is_none() {
        check_mcp_servers(&scope.client, O::mcp_servers(params))?;
    }
    let (id, claim) = match named::<O, S>(scope, params) {
        Some(id) => (id.clone(), Some(scope.connection.sessions.claim_opening(id)?)),
        None => (SessionId::unique(), None),
    };
    let opening = Opening::new(
        Arc::clone(params),
        id,
        scope.client.clone(),
        scope.cancel.clone(),
        SessionCommands::new(Arc::clone(&scope.connection.commands)),
        scope.reopening.as_ref(),
    );
    Ok(OpenGuard::new(opening, claim))
}

/// Opens a stored session, and replays it for `session/load`. Begins to connect MCP servers.
pub(crate) async fn ready<O: OpensSession, S>(scope: &Scope<S>, opening: &Opening<O>) -> Result<()> {
    if let Some(store) = scope.store()
        && named::<O, S>(scope, opening.request()).is_some()
    {
        reopen(store, scope, opening).await?;
    }
    if let (Some(store), Some(source)) = (scope.store(), O::forks(opening.request())) {
        opening.restore(store.state(open_recorder(scope, source), source).await?);
    }
    if let Some(servers) = &scope.connection.servers {
        connect(servers, opening);
    }
    Ok(())
}

pub(crate) async fn finish<O: OpensSession, S: Send + Sync + 'static>(
    scope: &Scope<S>,
    opening: &Opening<O>,
    outcome: Result<Opened<S>>,
) -> Result<Reply, RpcError> {
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

/// Opens a stored session again, and replays it if the client asks for that.
///
/// A session that is already open on this connection goes on being recorded, behind the records
/// that others have added meanwhile.
async fn reopen<O: OpensSession, S>(
    store: &StoreHandle,
    scope: &Scope<S>,
    opening: &Opening<O>,
) -> Result<()> {
    let (id, cwd) = (opening.session_id(), O::cwd(opening.request()));
    let recorder = store.reopen(open_recorder(scope, id), id, cwd).await?;
    // At once. Whatever fails from here on, the recorder is closed again.
    let recorder = opening.keep(recorder);
    opening.restore(recorder.state().await?);
    if !opening.holds_updates() {
        scope.cancel.heeding(recorder.replay(&scope.client)).await?;
    }
    Ok(())
}

/// Returns the recorder of a session that is open on this connection.
fn open_recorder<S>(scope: &Scope<S>, id: &SessionId) -> Option<Recorder> {
    scope.connection.sessions.get(id).and_then(|session| session.updates().recorder().cloned())
}

/// Begins to connect the MCP servers of a session. The user learns of failures once the session is
/// open.
fn connect<O: OpensSession>(servers: &Servers, opening: &Opening<O>) {
    let of = OfSession { client: opening.client(), cwd: opening.cwd(), servers: opening.mcp_servers() };
    let (mcp, reports) = servers.start(&of);
    opening.after_response(async move |open| {
        reports.send(open.session_id(), |notice| open.update(notice)).await;
    });
    opening.connect(mcp);
}

/// Returns the id that the client has named.
fn named<'a, O: OpensSession, S>(scope: &'a Scope<S>, params: &'a O::Params) -> Option<&'a SessionId> {
    scope.reopening.as_ref().map(Reopening::session_id).or_else(|| O::session_id(params))
}

/// Keeps the state of a new session: its settings, and the value of the session that it forks.
async fn keep_state(updates: &SessionUpdates, forked: Option<&StoredState>) -> Result<()> {
    let Some(recorder) = updates.recorder() else { return Ok(()) };
    if updates.settings().with(|modes, options| modes.is_some() || options.is_some()) {
        updates.keep_settings().await?;
    }
    if let Some(saved) = forked.and_then(StoredState::saved_json) {
        recorder.keep_state(RecordKind::Saved, || saved).await?;
    }
    Ok(())
}

/// Closes the recorder, because the session was not opened: others can open it. The session may
/// still be open here, as it was before. A new one is deleted: nobody knows it.
async fn stop_recording<O: OpensSession, S: Send + Sync + 'static>(scope: &Scope<S>, opening: &Opening<O>) {
    let is_open = scope.connection.sessions.get(opening.session_id()).is_some();
    let Some(recorder) = opening.recorder().filter(|_| !is_open) else { return };
    // The client's error came first.
    let _ = recorder.close().await;
    if let (None, Some(store)) = (named::<O, S>(scope, opening.request()), scope.store()) {
        let _ = store.delete(recorder.session_id()).await;
    }
}

/// Makes the sender of the session's updates.
fn updates<O: OpensSession>(opening: &Opening<O>, id: SessionId, settings: Settings) -> SessionUpdates {
    let request = opening.request();
    SessionUpdates::new(OpenSession {
        directories: Directories::new(O::cwd(request), O::additional_directories(request)),
        client: opening.client().clone(),
        gate: opening.gate(&id),
        permissions: Permissions::new(),
        settings,
        commands: Arc::clone(opening.commands()),
        meter: UsageMeter::default(),
        recorder: opening.recorder().cloned(),
        wire: opening.session_wire().clone(),
        reports: Arc::clone(opening.reports()),
        id,
    })
}

/// Enters the session, before the client can name it, and makes the answer.
async fn open<O: OpensSession, S: Send + Sync + 'static>(
    scope: &Scope<S>,
    opening: &Opening<O>,
    opened: Opened<S>,
) -> Result<Reply> {
    let Opened { state, session_id, modes, config_options, current_mode, config_values, commands, meta } =
        opened;
    commands.map_or(Ok(()), |commands| opening.commands().set(commands))?;
    let stated = Stated { modes, config_options, current_mode, config_values };
    let (modes, mut config_options) = stated.settle(opening.restored(), scope.reopening.is_none())?;
    let hidden = config_options.as_mut().map(|options| retain_offered(options, scope.client.capabilities()));
    let is_named = named::<O, S>(scope, opening.request()).is_some();
    let id = session_id.filter(|_| !is_named).unwrap_or_else(|| opening.session_id().clone());
    if let (false, Some(store)) = (is_named, scope.store()) {
        let request = opening.request();
        opening.keep(store.create(&id, O::cwd(request), O::additional_directories(request)).await?);
    }
    if let (true, Some(recorder)) = (is_named, opening.recorder()) {
        recorder.set_directories(O::additional_directories(opening.request())).await?;
    }
    let settings = Settings::new(modes.clone(), config_options.clone(), hidden.unwrap_or_default());
    let updates = updates(opening, id.clone(), settings);
    if is_named || opening.restored().is_some() {
        updates.meter().take_up();
    }
    if !is_named {
        keep_state(&updates, opening.restored()).await?;
    }
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
    if is_named {
        updates.wire().report_state(scope.client.peer(), &id);
    }
    opening.opened(updates);
    let wire = scope.client.wire();
    let commands = if wire.opens_with_commands() { opening.commands().untold() } else { None };
    let setup = Setup { modes, config_options, commands, meta };
    opening.reports().note(wire.lost_in(&setup), Some(&id), scope.client.on_fault());
    let reply = match scope.reopening.clone() {
        Some(reopening) => reopening.reply(wire, setup),
        None => {
            let answer = |Setup { modes, config_options, meta, .. }| {
                O::response(id.clone(), modes, config_options, meta)
            };
            wire.opened(&id, is_named, setup, answer)
        }
    };
    let opening = opening.clone();
    Ok(reply.after(move |_| {
        opening.release();
        session.entry.turns.opened();
    }))
}
