//! One session of an agent.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use acp_json::Map;
use acp_types::v1::ext::SessionUsage;
use acp_types::v1::{
    AvailableCommandsUpdate, CancelNotification, SessionId, SessionModeId, SessionModeState,
    SetSessionModeRequest, TerminalId, ToolCallId,
};
use futures_core::Stream;

use crate::sessions::session_state::SessionState;
use crate::sessions::table::Attached;
use crate::wire::entity::Entity;
use crate::wire::opened::Opened;
use crate::{Agent, Error, Event};

/// A conversation with an agent. Handles are cheap to clone.
#[derive(Clone)]
pub struct Session {
    open: Arc<Open>,
}

struct Open {
    agent: Agent,
    state: Attached,
    modes: Option<SessionModeState>,
    extra: Map,
}

/// A stream of the events of a session that do not belong to a turn. From a prompt until its turn
/// is read to the end or dropped, all events are the turn's.
///
/// The stream ends when the session is closed, or with the connection. While it exists, a reader
/// that is more than 4 MiB behind slows the agent down. Without it and without a turn, the newest 4
/// MiB are kept, and [`Event::Missed`] tells the next reader how many events went before them. All
/// unread sessions of a connection keep 64 MiB together. Beyond that, the sessions that have been
/// unread for longest lose their oldest events, which count as missed too. No session waits for the
/// reader of another.
///
/// The stream begins with the conversation that the agent has repeated when the session was
/// [resumed](Agent::resume_session), if it has.
#[derive(Debug)]
#[must_use = "a stream does nothing until it is read"]
pub struct Updates {
    session: Session,
}

impl Session {
    pub(crate) fn new(agent: Agent, state: Attached, opened: Opened) -> Self {
        if let Some(options) = opened.config_options {
            state.config.set(options, opened.at);
        }
        if let Some(commands) = opened.commands {
            state.inbox.insert(Event::Commands(AvailableCommandsUpdate::new(commands)), opened.at);
        }
        Self { open: Arc::new(Open { agent, state, modes: opened.modes, extra: opened.extra }) }
    }

    /// Returns the agent's id of the session.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        self.state().id()
    }

    /// Returns the agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.open.agent
    }

    /// Returns the modes that the session was opened with, if it has modes. Changes arrive as
    /// [`Event::Mode`].
    #[must_use]
    pub fn modes(&self) -> Option<&SessionModeState> {
        self.open.modes.as_ref()
    }

    /// Returns the tokens and costs of the session and of its turn, as the agent has reported them
    /// since the session was opened here. They are up to date, even if nobody reads the events.
    #[must_use]
    pub fn usage(&self) -> SessionUsage {
        self.state().usage.now()
    }

    /// Returns the members of the opening answer that the protocol does not name, as they came.
    ///
    /// Some agents still list their models here, under `models`, and let the client switch them by
    /// an old method:
    ///
    /// ```no_run
    /// # async fn switch(session: acp_client::Session) -> Result<(), Box<dyn std::error::Error>> {
    /// use acp_client::{Map, Value};
    ///
    /// if let Some(models) = session.extra().get("models") {
    ///     println!("now: {:?}", models.get("currentModelId").and_then(|id| id.as_str()));
    ///     let id = Value::from(session.id().as_str());
    ///     let params = Map::from([("sessionId", id), ("modelId", Value::from("large"))]);
    ///     session.agent().peer().request::<_, Value>("session/set_model", &params).await?;
    /// }
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn extra(&self) -> &Map {
        &self.open.extra
    }

    /// Asks the agent to stop its work in this session (`session/cancel`). Open permission requests
    /// are answered with `cancelled`. A running turn ends with its response: see
    /// [`Turn::cancel`](crate::Turn::cancel).
    ///
    /// # Errors
    /// [`Error::SessionClosed`], or the connection is over.
    pub fn cancel(&self) -> Result<(), Error> {
        self.check_open(self.agent().method::<CancelNotification>())?;
        self.cancel_turn(None)
    }

    /// Switches to another of the session's [`modes`](Self::modes) (`session/set_mode`).
    ///
    /// # Errors
    /// [`Error::NotOffered`] if the session has no modes; [`Error::Argument`] if it does not have
    /// this one; [`Error::SessionClosed`]; the agent refused.
    pub async fn set_mode(&self, mode: impl Into<SessionModeId>) -> Result<(), Error> {
        let (mode, method) = (mode.into(), self.agent().method::<SetSessionModeRequest>());
        self.check_open(method)?;
        let modes = self.modes().ok_or_else(|| self.agent().not_offered(method, "modes"))?;
        modes.check(&mode).map_err(|error| Error::argument(method, "modeId", &error))?;
        let request = SetSessionModeRequest::new(self.id().clone(), mode);
        let options = self.config_options();
        let set = self.agent().wire().set_mode(self.agent().peer(), request, &options).await?;
        if let Some(options) = set {
            self.state().config.set(options.value, options.at);
        }
        Ok(())
    }

    /// Asks the agent to stop one tool call (`tool_call/cancel`), and nothing else of the turn. The
    /// agent has accepted that when this returns; an update with the status of the tool call tells
    /// that it has ended.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the agent speaks version 1 of the protocol; [`Error::NotOffered`]
    /// if it does not offer that for this tool call now; [`Error::SessionClosed`]; the agent
    /// refused.
    pub async fn cancel_tool_call(&self, id: impl Into<ToolCallId>) -> Result<(), Error> {
        self.cancel_entity(Entity::ToolCall(id.into())).await
    }

    /// Asks the agent to stop the command in one of its terminals (`terminal/cancel`), as
    /// [`cancel_tool_call`](Self::cancel_tool_call) does for a tool call.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the agent speaks version 1 of the protocol; [`Error::NotOffered`]
    /// if it does not offer that for this terminal now; [`Error::SessionClosed`]; the agent
    /// refused.
    pub async fn cancel_terminal(&self, id: impl Into<TerminalId>) -> Result<(), Error> {
        self.cancel_entity(Entity::Terminal(id.into())).await
    }

    /// Returns true if the agent offers to stop this tool call now, by
    /// [`cancel_tool_call`](Self::cancel_tool_call). Each update of the tool call may change that.
    #[must_use]
    pub fn can_cancel_tool_call(&self, id: impl Into<ToolCallId>) -> bool {
        self.agent().wire().can_cancel(&self.state().flow, &Entity::ToolCall(id.into()))
    }

    /// Returns true if the agent offers to stop the command in this terminal now, by
    /// [`cancel_terminal`](Self::cancel_terminal). Each update of the terminal may change that.
    #[must_use]
    pub fn can_cancel_terminal(&self, id: impl Into<TerminalId>) -> bool {
        self.agent().wire().can_cancel(&self.state().flow, &Entity::Terminal(id.into()))
    }

    async fn cancel_entity(&self, entity: Entity) -> Result<(), Error> {
        self.check_open(entity.method())?;
        let (agent, state) = (self.agent(), self.state());
        agent.wire().cancel(agent.peer(), (self.id(), &state.flow), entity).await
    }

    /// Returns a stream of the events that do not belong to a turn.
    pub fn updates(&self) -> Updates {
        self.state().inbox.add_reader();
        Updates { session: self.clone() }
    }

    pub(crate) fn state(&self) -> &Arc<SessionState> {
        &self.open.state
    }

    pub(super) fn attached(&self) -> &Attached {
        &self.open.state
    }

    pub(crate) fn check_open(&self, method: &'static str) -> Result<(), Error> {
        if self.state().is_closed() {
            return Err(Error::SessionClosed { method, session: self.id().clone() });
        }
        Ok(())
    }

    pub(crate) fn cancel_turn(&self, turn: Option<u64>) -> Result<(), Error> {
        let (agent, cancel) = (self.agent(), CancelNotification::new(self.id().clone()));
        self.state().cancel_turn(turn, || agent.wire().send_now(agent.peer(), self.id(), &cancel))
    }
}

impl Updates {
    /// Returns the next event, or `None` if the session is closed or the connection is over.
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    fn poll_event(&self, cx: &Context<'_>) -> Poll<Option<Event>> {
        let state = self.session.state();
        // Registered first: the turn may end between the check and the wait.
        state.inbox.wait(cx);
        if state.has_turn() { Poll::Pending } else { state.inbox.poll_next_with_aside(cx) }
    }
}

impl Stream for Updates {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll_event(cx)
    }
}

impl Drop for Updates {
    fn drop(&mut self) {
        self.session.state().inbox.remove_reader();
    }
}

/// Shows the id, and nothing of the conversation.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", self.id()).finish_non_exhaustive()
    }
}
