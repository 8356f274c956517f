//! The place of a component that has a connection: where messages go while it lives, and after.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Tap;
use tokio::sync::Notify;

use super::component::{Component, Failure, Kind};
use super::failure::Policy;
use crate::flow::json::Json;
use crate::flow::responder::Responder;
use crate::link::Link;
use crate::wire::forms::Form;
use crate::wire::message::Call;
use crate::wire::spelling::Spelling;

/// A component in its place.
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    pub(crate) name: Box<str>,
    pub(crate) policy: Policy,
    /// The spelling in which it is initialized.
    pub(crate) spelling: Spelling,
    /// The observer of its connections.
    pub(crate) tap: Option<Tap>,
    /// The way to it, for the task that starts it.
    pub(crate) component: tokio::sync::Mutex<Component>,
    state: Mutex<State>,
    handshake: Mutex<Handshake>,
    restarts: AtomicU32,
    budget: usize,
    changed: Notify,
}

enum State {
    /// It has not been started.
    New,
    Live(Arc<Link>),
    /// It is being started again: messages wait.
    Waiting(Backlog),
    /// It is left out.
    Bypassed,
    Failed(Failure),
}

#[derive(Default)]
struct Backlog {
    messages: Vec<Held>,
    bytes: usize,
    /// The connection of the last life that ended before the component was back.
    ended: Option<(Arc<Link>, Failure)>,
}

/// A message that waits for a component.
struct Held {
    form: Form,
    method: Box<str>,
    params: Option<Json>,
    responder: Option<Responder>,
}

/// The initialization of a proxy, as the conductor has seen it.
#[derive(Default)]
struct Handshake {
    /// The params of `proxy/initialize`.
    asked: Option<Json>,
    /// The answer of the proxy's successor.
    successor: Option<Json>,
    /// The successor has answered since `proxy/initialize` was sent last.
    is_answered: bool,
    /// The proxy has been initialized once.
    is_done: bool,
}

/// The outcome of giving a message to a slot.
pub(crate) enum Given {
    Done,
    /// The component is left out: the message is for the next one.
    Bypassed(Option<Responder>),
}

/// The consequence of the end of a component.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    ChainEnds,
    LeftOut,
    Restarts,
    /// The task that starts it again decides.
    Awaited,
}

impl Slot {
    pub(crate) fn new(kind: Kind, name: String, policy: Policy, component: Component, budget: usize) -> Self {
        Self {
            kind,
            name: name.into(),
            policy,
            spelling: Spelling::Current,
            tap: None,
            component: tokio::sync::Mutex::new(component),
            state: Mutex::new(State::New),
            handshake: Mutex::default(),
            restarts: AtomicU32::new(0),
            budget,
            changed: Notify::new(),
        }
    }

    /// Sets the spelling in which the component is initialized.
    pub(crate) fn spelled(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    /// Sets the observer of its connections.
    pub(crate) fn tapped(mut self, tap: Option<Tap>) -> Self {
        self.tap = tap;
        self
    }

    pub(crate) fn failure(&self, reason: impl fmt::Display) -> Failure {
        Failure { kind: self.kind, name: self.name.to_string(), reason: reason.to_string() }
    }

    /// Sends a message to the component, or keeps it while it is being started again.
    pub(crate) fn give(&self, form: Form, call: &Call<'_>, responder: Option<Responder>) -> Given {
        // What follows from the state runs outside of its lock: an answer may look at it.
        let failure = match &mut *self.state() {
            State::Live(link) => Ok(Arc::clone(link)),
            State::Waiting(backlog) => {
                backlog.add(form, call, responder);
                return Given::Done;
            }
            State::Bypassed => return Given::Bypassed(responder),
            State::New => Err(self.failure("it is not started")),
            State::Failed(failure) => Err(failure.clone()),
        };
        match (failure, responder) {
            (Ok(link), responder) => link.send(form, call, responder),
            (Err(failure), Some(responder)) => responder.refuse(&failure.to_rpc()),
            (Err(_), None) => {}
        }
        Given::Done
    }

    /// Takes the connection of the component's first start.
    pub(crate) fn start(&self, link: Arc<Link>) {
        let mut state = self.state();
        // It may have ended already.
        if matches!(&*state, State::New) {
            *state = State::Live(link);
        }
    }

    /// Takes the connection of a component that is back, with what has waited for it.
    ///
    /// # Errors
    /// Fails if the connection has ended already.
    pub(crate) fn resume(&self, link: &Arc<Link>) -> Result<(), Failure> {
        loop {
            let waiting = {
                let mut state = self.state();
                match &mut *state {
                    State::Waiting(Backlog { ended: Some((ended, failure)), .. })
                        if Arc::ptr_eq(ended, link) =>
                    {
                        return Err(failure.clone());
                    }
                    // Newer messages wait, too, until none is left.
                    State::Waiting(backlog) if !backlog.messages.is_empty() => backlog.take(),
                    State::Waiting(_) => {
                        *state = State::Live(Arc::clone(link));
                        break;
                    }
                    // It has failed meanwhile.
                    _ => break,
                }
            };
            for Held { form, method, params, responder } in waiting {
                let call = Call { method: (&*method).into(), params: params.as_ref().map(Json::as_str) };
                link.send(form, &call, responder);
            }
        }
        self.changed.notify_waiters();
        Ok(())
    }

    /// Leaves the component out.
    pub(crate) fn leave_out(&self) {
        self.leave(State::Bypassed);
    }

    /// Notes that the component is gone for good. What has waited for it fails.
    pub(crate) fn fail(&self, failure: &Failure) {
        if let State::Waiting(backlog) = self.leave(State::Failed(failure.clone())) {
            for responder in backlog.messages.into_iter().filter_map(|held| held.responder) {
                responder.refuse(&failure.to_rpc());
            }
        }
    }

    fn leave(&self, state: State) -> State {
        let before = std::mem::replace(&mut *self.state(), state);
        self.changed.notify_waiters();
        before
    }

    /// Decides what follows from the end of the component's connection, and takes the new state.
    pub(crate) fn ended(&self, link: &Arc<Link>, failure: &Failure) -> Consequence {
        let is_done = self.handshake().is_done;
        let mut state = self.state();
        match (self.policy, &mut *state) {
            (Policy::Restart(_), State::Live(live))
                if Arc::ptr_eq(live, link) && is_done && self.may_start_again() =>
            {
                *state = State::Waiting(Backlog::default());
                Consequence::Restarts
            }
            (Policy::Restart(_), State::Waiting(backlog)) => {
                backlog.ended = Some((Arc::clone(link), failure.clone()));
                Consequence::Awaited
            }
            (Policy::Optional, _) => {
                drop(state);
                self.leave_out();
                Consequence::LeftOut
            }
            _ => {
                drop(state);
                self.fail(failure);
                Consequence::ChainEnds
            }
        }
    }

    /// Counts one more start. Returns false if the policy allows none.
    pub(crate) fn may_start_again(&self) -> bool {
        let Policy::Restart(times) = self.policy else { return false };
        let one_more = |restarts| (restarts < times).then_some(restarts + 1);
        self.restarts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    pub(crate) fn is_bypassed(&self) -> bool {
        matches!(&*self.state(), State::Bypassed)
    }

    /// Tells whether the component is being started again.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(&*self.state(), State::Waiting(_))
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        match &*self.state() {
            State::Live(link) => Some(Arc::clone(link)),
            _ => None,
        }
    }

    /// Tells whether more messages may wait for a component that is being started again.
    pub(crate) fn has_room(&self) -> bool {
        !matches!(&*self.state(), State::Waiting(backlog) if backlog.bytes >= self.budget)
    }

    /// Waits until fewer messages wait for the component.
    pub(crate) async fn room(&self) {
        loop {
            let changed = self.changed.notified();
            if self.has_room() {
                return;
            }
            changed.await;
        }
    }

    /// Notes that `proxy/initialize` is sent to the component.
    pub(crate) fn asked(&self, params: Option<&str>) {
        let mut handshake = self.handshake();
        handshake.asked = params.map(Json::from_text);
        handshake.is_answered = false;
    }

    /// Notes the answer of the component's successor to `initialize`.
    pub(crate) fn successor_answered(&self, result: &str) {
        let mut handshake = self.handshake();
        handshake.successor = Some(Json::from_text(result));
        handshake.is_answered = true;
    }

    /// Answers the `initialize` of a component that was started again, for its successor.
    pub(crate) fn recorded_successor(&self) -> Option<Json> {
        let mut handshake = self.handshake();
        handshake.is_answered = handshake.successor.is_some();
        handshake.successor.clone()
    }

    /// Returns the params of the `proxy/initialize` that was sent last.
    pub(crate) fn recorded_asked(&self) -> Option<Json> {
        self.handshake().asked.clone()
    }

    /// Returns the answer of the successor since the last `proxy/initialize`.
    pub(crate) fn successor(&self) -> Option<Json> {
        let handshake = self.handshake();
        handshake.successor.clone().filter(|_| handshake.is_answered)
    }

    pub(crate) fn initialized(&self) {
        self.handshake().is_done = true;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handshake(&self) -> MutexGuard<'_, Handshake> {
        self.handshake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backlog {
    fn take(&mut self) -> Vec<Held> {
        self.bytes = 0;
        std::mem::take(&mut self.messages)
    }

    fn add(&mut self, form: Form, call: &Call<'_>, responder: Option<Responder>) {
        self.bytes += call.method.len() + call.params.map_or(0, str::len);
        let params = call.params.map(Json::from_text);
        self.messages.push(Held { form, method: (&*call.method).into(), params, responder });
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("name", &self.name).finish_non_exhaustive()
    }
}
