//! The foreground of each session: the prompts that are at handlers, and the turns of the agent
//! behind.
//!
//! A turn of the proxy's own and one of the agent may overlap. The client sees one foreground: it
//! is idle when both are, and the one that ends last tells the reason.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "v2")]
use tokio::sync::Notify;

use crate::flow::cancel::Cancel;
#[cfg(feature = "v2")]
use crate::flow::reply::Reply;
#[cfg(feature = "v2")]
use crate::flow::responder::Responder;
#[cfg(feature = "v2")]
use crate::wire::message::Answer;
#[cfg(feature = "v2")]
use crate::wire::state::{State, still_running};

/// The sessions whose agent is known to be at work, at most. One more is forgotten, which means
/// that a turn of the proxy's own reports its states as if the agent was idle.
#[cfg(feature = "v2")]
const MOST: usize = 4096;
/// The bytes of background work that are kept for a session. States of the proxy's own do not
/// repeat a longer list.
#[cfg(feature = "v2")]
const MOST_BACKGROUND: usize = 16 * 1024;

/// The foregrounds of a proxy's sessions.
#[derive(Debug, Default)]
pub(super) struct Turns {
    sessions: Mutex<HashMap<Box<str>, Foreground>>,
    /// A turn of the proxy's own has ended.
    #[cfg(feature = "v2")]
    ended: Notify,
}

#[derive(Debug, Default)]
struct Foreground {
    /// The prompts that are at handlers.
    stops: Vec<Arc<Cancel>>,
    /// The turns of the proxy's own that the client knows.
    #[cfg(feature = "v2")]
    own: usize,
    #[cfg(feature = "v2")]
    agent_works: bool,
    /// The last list of background work of the agent, which every state has.
    #[cfg(feature = "v2")]
    background: Option<Box<str>>,
}

/// A prompt at a handler. Dropping it ends that.
#[derive(Debug)]
pub(super) struct AtHandler {
    turns: Arc<Turns>,
    session: Box<str>,
    pub(super) stop: Arc<Cancel>,
}

impl Turns {
    /// Notes a prompt that is at a handler, so that a cancellation of its session reaches it.
    pub(super) fn enter(self: &Arc<Self>, session: &str) -> AtHandler {
        let stop = Arc::<Cancel>::default();
        self.sessions().entry(session.into()).or_default().stops.push(Arc::clone(&stop));
        AtHandler { turns: Arc::clone(self), session: session.into(), stop }
    }

    /// Tells the handlers that have prompts of a session that the client wants no more of them.
    pub(super) fn stop(&self, session: &str) {
        let stops = self.sessions().get(session).map(|foreground| foreground.stops.clone());
        stops.unwrap_or_default().iter().for_each(|stop| stop.fire());
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Box<str>, Foreground>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The states of version 2. They are sent while the sessions are locked, so that a state that was
/// decided first is also sent first.
#[cfg(feature = "v2")]
impl Turns {
    /// Begins a turn of the proxy's own. The function gets true if this begins the session's work,
    /// and the background work.
    pub(super) fn begin(&self, session: &str, send: impl FnOnce(bool, Option<&str>)) {
        let mut sessions = self.sessions();
        let foreground = sessions.entry(session.into()).or_default();
        let begins = foreground.own == 0 && !foreground.agent_works;
        foreground.own += 1;
        send(begins, foreground.background.as_deref());
    }

    /// Ends a turn of the proxy's own. The function is called if this ends the session's work.
    pub(super) fn end(&self, session: &str, send: impl FnOnce(Option<&str>)) {
        {
            let mut sessions = self.sessions();
            let Some(foreground) = sessions.get_mut(session) else { return };
            foreground.own = foreground.own.saturating_sub(1);
            if foreground.own == 0 && !foreground.agent_works {
                send(foreground.background.as_deref());
            }
            tidy(&mut sessions, session);
        }
        self.ended.notify_waiters();
    }

    /// Notes a state of the agent, and sends it on. While a turn of the proxy's own goes on, an
    /// idle agent is not the end of the session's work.
    pub(super) fn heard(&self, session: &str, state: &State<'_>, params: &str, send: impl FnOnce(&str)) {
        let mut sessions = self.sessions();
        if sessions.len() >= MOST && !sessions.contains_key(session) {
            let forgotten = sessions.iter().find(|(_, one)| one.own == 0 && one.stops.is_empty());
            if let Some(forgotten) = forgotten.map(|(session, _)| session.clone()) {
                sessions.remove(&forgotten);
            }
        }
        let foreground = sessions.entry(session.into()).or_default();
        foreground.agent_works = !state.is_idle;
        let background = state.background.filter(|work| work.len() <= MOST_BACKGROUND);
        foreground.background = background.map(Into::into);
        let goes_on = (state.is_idle && foreground.own > 0).then(|| still_running(params)).flatten();
        send(goes_on.as_deref().unwrap_or(params));
        tidy(&mut sessions, session);
    }

    /// Forgets the agent's work in a session that is closed.
    pub(super) fn forget(&self, session: &str) {
        let mut sessions = self.sessions();
        if let Some(foreground) = sessions.get_mut(session) {
            (foreground.agent_works, foreground.background) = (false, None);
            tidy(&mut sessions, session);
        }
    }

    /// Returns true while a turn of the proxy's own goes on in a session.
    pub(super) fn goes_on(&self, session: &str) -> bool {
        self.sessions().get(session).is_some_and(|foreground| foreground.own > 0)
    }

    /// Waits until no turn of the proxy's own goes on in a session.
    pub(super) async fn over(&self, session: &str) {
        loop {
            let ended = self.ended.notified();
            if !self.goes_on(session) {
                return;
            }
            ended.await;
        }
    }
}

/// Lets the answer to the request that closes a session wait for the turns of the proxy's own
/// there.
#[cfg(feature = "v2")]
pub(super) fn answered_after(turns: &Arc<Turns>, session: &str, responder: Responder) -> Responder {
    let (turns, session) = (Arc::clone(turns), Box::<str>::from(session));
    Responder::then(Arc::clone(responder.cancel()), move |answer| {
        if matches!(answer, Answer::Result(_)) {
            turns.forget(&session);
        }
        if !turns.goes_on(&session) {
            return responder.answer(answer);
        }
        let reply = Reply::from_answer(answer);
        tokio::spawn(async move {
            turns.over(&session).await;
            responder.answer(reply.as_answer());
        });
    })
}

/// Removes a foreground that says nothing.
fn tidy(sessions: &mut HashMap<Box<str>, Foreground>, session: &str) {
    let is_empty = |foreground: &Foreground| {
        #[cfg(feature = "v2")]
        if foreground.own > 0 || foreground.agent_works || foreground.background.is_some() {
            return false;
        }
        foreground.stops.is_empty()
    };
    if sessions.get(session).is_some_and(is_empty) {
        sessions.remove(session);
    }
}

impl Drop for AtHandler {
    fn drop(&mut self) {
        let mut sessions = self.turns.sessions();
        if let Some(foreground) = sessions.get_mut(&self.session) {
            foreground.stops.retain(|stop| !Arc::ptr_eq(stop, &self.stop));
            tidy(&mut sessions, &self.session);
        }
    }
}
