//! Operations that open a session.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{NewSessionRequest, SessionId};

use crate::error::{Error, Result};
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::mcp::{OfSession, Servers};
use crate::open::checks::{check_directories, check_mcp_servers, check_path};
use crate::open::guard::OpenGuard;
use crate::open::opened::Opened;
use crate::open::opening::Opening;
use crate::open::reopen::Reopening;
use crate::open::request::OpensSession;
use crate::open::restored::Stated;
use crate::serve::stored::{open_recorder, reopen};
use crate::session::queue::Turns;
use crate::session::{Entry, Session};
use crate::store::{RecordKind, StoredState};
use crate::updates::directories::Directories;
use crate::updates::session_updates::SessionUpdates;
use crate::updates::settings::{Settings, retain_offered};

impl<O: OpensSession> ServeOperation for O {
    type Admission<S: Send + Sync + 'static> = OpenGuard<O, S>;
    type Answer<S: Send + Sync + 'static> = Opened<S>;

    fn of_request_for_new(request: NewSessionRequest) -> Option<O::Params> {
        <O as OpensSession>::of_request_for_new(request)
    }

    fn admit<S: Send + Sync + 'static>(
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
            scope.reopening.as_ref(),
        );
        Ok(OpenGuard::new(opening, claim))
    }

    /// Opens a stored session, and replays it for `session/load`. Begins to connect MCP servers.
    async fn ready<S: Send + Sync + 'static>(scope: &Scope<S>, guard: &OpenGuard<O, S>) -> Result<()> {
        let opening = &guard.opening;
        if let Some(store) = &scope.connection.store
            && named::<O, S>(scope, opening.request()).is_some()
        {
            reopen(store, scope, opening).await?;
        }
        if let (Some(store), Some(source)) = (&scope.connection.store, O::forks(opening.request())) {
            opening.restore(store.state(open_recorder(scope, source), source).await?);
        }
        if let Some(servers) = &scope.connection.servers {
            connect(servers, opening);
        }
        Ok(())
    }

    async fn finish<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        guard: &OpenGuard<O, S>,
        outcome: Result<Opened<S>>,
    ) -> Result<Reply, RpcError> {
        let opening = &guard.opening;
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
        recorder.keep_state(RecordKind::Saved, saved).await?;
    }
    Ok(())
}

/// Closes the recorder, because the session was not opened: others can open it. The session may
/// still be open here, as it was before.
async fn stop_recording<O: OpensSession, S: Send + Sync + 'static>(scope: &Scope<S>, opening: &Opening<O>) {
    let is_open = scope.connection.sessions.get(opening.session_id()).is_some();
    if let Some(recorder) = opening.recorder().filter(|_| !is_open) {
        // The client's error came first.
        let _ = recorder.close().await;
    }
}

/// Enters the session, before the client can name it, and makes the answer.
async fn open<O: OpensSession, S: Send + Sync + 'static>(
    scope: &Scope<S>,
    opening: &Opening<O>,
    opened: Opened<S>,
) -> Result<Reply> {
    let Opened { state, session_id, modes, config_options, current_mode, config_values, meta } = opened;
    let stated = Stated { modes, config_options, current_mode, config_values };
    let (modes, mut config_options) = stated.settle(opening.restored(), scope.reopening.is_none())?;
    let hidden = config_options.as_mut().map(|options| retain_offered(options, scope.client.capabilities()));
    let is_named = named::<O, S>(scope, opening.request()).is_some();
    let id = session_id.filter(|_| !is_named).unwrap_or_else(|| opening.session_id().clone());
    if let (false, Some(store)) = (is_named, &scope.connection.store) {
        let request = opening.request();
        opening.keep(store.create(&id, O::cwd(request), O::additional_directories(request)).await?);
    }
    if let (true, Some(recorder)) = (is_named, opening.recorder()) {
        recorder.set_directories(O::additional_directories(opening.request())).await?;
    }
    let settings = Settings::new(modes.clone(), config_options.clone(), hidden.unwrap_or_default());
    let recorder = opening.recorder().cloned();
    let updates = SessionUpdates::new(
        id.clone(),
        Directories::new(O::cwd(opening.request()), O::additional_directories(opening.request())),
        scope.client.clone(),
        settings,
        opening.gate(&id),
        recorder,
    );
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
    opening.opened(updates);
    let reply = match scope.reopening.clone() {
        Some(reopening) => reopening.reply(scope.client.wire(), modes, config_options, meta),
        None => scope.client.wire().answer(O::response(id, modes, config_options, meta)),
    };
    let opening = opening.clone();
    Ok(reply.after(move |_| {
        opening.release();
        session.entry.turns.opened();
    }))
}
