//! The ways on from a proxy, and the order of the messages on them.

use std::borrow::Cow;
#[cfg(feature = "v2")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use acp_rpc::{CancellationToken, Encode, EncodeError, Fault};
use tokio::sync::oneshot;

#[cfg(feature = "v2")]
use super::modes::Modes;
#[cfg(feature = "v2")]
use super::prompt::Undecided;
#[cfg(feature = "v2")]
use super::seen::Seen;
use super::turns::Turns;
use crate::flow::cancel::Cancel;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::lane::{Budget, Job, Lanes, Turn};
use crate::wire::member::{member, session_of};
use crate::wire::message::{Answer, Call};
#[cfg(feature = "v2")]
use crate::wire::state::{State, UPDATE};

/// Reports a fault of a handler.
pub(crate) type OnFault = Arc<dyn Fn(Fault<'_>) + Send + Sync>;

/// The ways on from a proxy, and the order of the messages on them.
pub(super) struct Ways {
    route: Weak<dyn Route>,
    joint: usize,
    to_agent: Lanes,
    to_client: Lanes,
    /// The directions in which messages may wait for handlers.
    orders_to_agent: bool,
    orders_to_client: bool,
    closed: CancellationToken,
    on_fault: OnFault,
    /// The version of the protocol, once the answer to `initialize` has told it.
    version: AtomicU64,
    turns: Arc<Turns>,
    /// The proxy may have turns of its own, so it looks at the states of sessions.
    #[cfg(feature = "v2")]
    has_turns: bool,
    #[cfg(feature = "v2")]
    modes: Modes,
    /// The proxy may set modes itself, so it looks at the options of sessions.
    #[cfg(feature = "v2")]
    has_modes: bool,
}

/// A message at a handler: its method and params, and the ways on from there.
pub(super) struct Held {
    pub(super) ways: Arc<Ways>,
    pub(super) toward: Toward,
    pub(super) method: Box<str>,
    pub(super) params: Option<Json>,
    pub(super) lane: Box<str>,
    pub(super) turn: Turn,
    /// The view of the message that the handler has, if it is another one than the message.
    #[cfg(feature = "v2")]
    pub(super) seen: Option<Seen>,
    /// The cancellation of the session of a prompt.
    pub(super) stop: Option<Arc<Cancel>>,
    /// The prompt of version 2 that the handler may answer in place of the rest.
    #[cfg(feature = "v2")]
    pub(super) prompt: Option<Undecided>,
    /// The place for the answer of the rest to a request that sets a mode in version 2.
    #[cfg(feature = "v2")]
    pub(super) heard: Option<Arc<OnceLock<Json>>>,
}

impl Held {
    /// Returns the params that a handler wants to send on, as the version of the chain has them.
    pub(super) fn written(&self, params: &(impl Encode + ?Sized)) -> Result<Json, EncodeError> {
        let params = Json::of(params)?;
        #[cfg(feature = "v2")]
        if let Some(seen) = &self.seen {
            return seen.changed(&params, self.params.as_ref());
        }
        Ok(params)
    }

    pub(super) fn call<'a>(&'a self, params: Option<&'a Json>) -> Call<'a> {
        Call { method: (&*self.method).into(), params: params.map(Json::as_str) }
    }
}

impl Ways {
    /// Makes the ways on from a proxy between a joint and the next.
    pub(super) fn new(
        route: Weak<dyn Route>,
        joint: usize,
        budget: usize,
        orders: impl Fn(Toward) -> bool,
        closed: CancellationToken,
        on_fault: OnFault,
    ) -> Self {
        let budget = Budget::new(budget);
        Self {
            route,
            joint,
            to_agent: Lanes::new(&budget),
            to_client: Lanes::new(&budget),
            orders_to_agent: orders(Toward::Agent),
            orders_to_client: orders(Toward::Client),
            closed,
            on_fault,
            version: AtomicU64::new(0),
            turns: Arc::default(),
            #[cfg(feature = "v2")]
            has_turns: false,
            #[cfg(feature = "v2")]
            modes: Modes::default(),
            #[cfg(feature = "v2")]
            has_modes: false,
        }
    }

    /// Looks at the states of sessions, at their options, or at both, in version 2.
    #[cfg(feature = "v2")]
    pub(super) fn looking(self, has_turns: bool, has_modes: bool) -> Self {
        Self { has_turns, has_modes, ..self }
    }

    pub(super) const fn turns(&self) -> &Arc<Turns> {
        &self.turns
    }

    #[cfg(feature = "v2")]
    pub(super) const fn modes(&self) -> &Modes {
        &self.modes
    }

    pub(super) const fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    pub(super) const fn budget(&self) -> &Arc<Budget> {
        self.to_agent.budget()
    }

    /// Returns the version of the protocol, or 0 before it is known.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Notes the version of the protocol from the answer to `initialize`.
    pub(super) fn note_version(&self, result: &str) {
        let version = member(result, "protocolVersion").and_then(|version| version.parse().ok());
        self.version.store(version.unwrap_or_default(), Ordering::Release);
    }

    pub(super) fn fault(&self, fault: Fault<'_>) {
        (self.on_fault)(fault);
    }

    /// Sends a message on, past all lanes.
    pub(super) fn send(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        if let Some(route) = self.route.upgrade() {
            route.pass(self.onward(toward), toward, call, responder);
        }
    }

    /// Sends a message of a peer on, past all lanes. What it tells about its session is noted.
    pub(super) fn relay(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        #[cfg(feature = "v2")]
        if (self.has_turns || self.has_modes)
            && toward == Toward::Client
            && self.version() == 2
            && call.method == UPDATE
            && let (None, Some(params)) = (&responder, call.params)
        {
            return self.relay_update(params);
        }
        self.send(toward, call, responder);
    }

    #[cfg(feature = "v2")]
    fn relay_update(&self, params: &str) {
        let send = |params: &str| self.tell(params);
        self.note_options(params);
        if self.has_turns
            && let Some(state) = State::of(params)
            && let Some(session) = session_of(Some(params))
        {
            return self.turns.heard(&session, &state, params, send);
        }
        send(params);
    }

    /// Learns the options of a session from an update, if a handler needs them.
    #[cfg(feature = "v2")]
    pub(super) fn note_options(&self, params: &str) {
        if self.has_modes && self.version() == 2 {
            self.modes.updated(params);
        }
    }

    /// Sends an update to the client.
    #[cfg(feature = "v2")]
    pub(super) fn tell(&self, params: &str) {
        self.send(Toward::Client, &Call { method: UPDATE.into(), params: Some(params) }, None);
    }

    const fn onward(&self, toward: Toward) -> usize {
        match toward {
            Toward::Agent => self.joint + 1,
            Toward::Client => self.joint,
        }
    }

    /// Tells whether messages in this direction may wait for handlers.
    pub(super) const fn orders(&self, toward: Toward) -> bool {
        match toward {
            Toward::Agent => self.orders_to_agent,
            Toward::Client => self.orders_to_client,
        }
    }

    const fn lanes(&self, toward: Toward) -> &Lanes {
        match toward {
            Toward::Agent => &self.to_agent,
            Toward::Client => &self.to_client,
        }
    }

    /// Sends a message on behind those of its session that wait for handlers.
    pub(super) fn follow(self: &Arc<Self>, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        let lanes = self.lanes(toward);
        if !lanes.are_idle() {
            let lane = session_of(call.params).unwrap_or_default();
            if lanes.is_busy(&lane) {
                let (ways, call) = (Arc::clone(self), Owned::of(call));
                let bytes = call.bytes();
                let pass = Job::Pass(Box::new(move || ways.relay(toward, &call.call(), responder)));
                return lanes.add(&lane, pass, bytes);
            }
        }
        self.relay(toward, call, responder);
    }

    /// Lets a handler have a message in its turn.
    pub(super) fn handle(
        self: &Arc<Self>,
        toward: Toward,
        call: &Call<'_>,
        start: impl FnOnce(Held, CancellationToken) + Send + 'static,
    ) {
        let lane: Box<str> = session_of(call.params).unwrap_or_default().into();
        let owned = Owned::of(call);
        let bytes = owned.bytes();
        let (ways, name) = (Arc::clone(self), lane.clone());
        let handle = move |turn: Turn| {
            let closed = ways.closed.clone();
            let Owned { method, params } = owned;
            let held = Held {
                ways,
                toward,
                method,
                params,
                lane: name,
                turn,
                #[cfg(feature = "v2")]
                seen: None,
                stop: None,
                #[cfg(feature = "v2")]
                prompt: None,
                #[cfg(feature = "v2")]
                heard: None,
            };
            start(held, closed);
        };
        self.lanes(toward).add(&lane, Job::Handle(Box::new(handle)), bytes);
    }

    /// Keeps the answer to a request behind the messages of its session that came before it. The
    /// session is that of the request, or else the one that the result names. If there is none, the
    /// answer stays behind the other messages without a session.
    pub(super) fn in_lane(&self, toward: Toward, lane: Option<&str>, responder: Responder) -> Responder {
        if !self.orders(toward.back()) {
            return responder;
        }
        let lanes = self.lanes(toward.back()).clone();
        let lane: Option<Box<str>> = lane.map(Into::into);
        Responder::then(Arc::clone(responder.cancel()), move |answer| {
            let lane = lane.as_deref().map(Cow::Borrowed).or_else(|| match answer {
                Answer::Result(result) => session_of(Some(result)),
                Answer::Error(_) => None,
            });
            let lane = lane.unwrap_or_default();
            if !lanes.is_busy(&lane) {
                return responder.answer(answer);
            }
            let reply = Reply::from_answer(answer);
            let bytes = reply.text().len();
            let pass = Job::Pass(Box::new(move || responder.answer(reply.as_answer())));
            lanes.add(&lane, pass, bytes);
        })
    }

    /// Sends a request on. Its answer comes as soon as it is there.
    pub(super) fn ask(
        &self,
        toward: Toward,
        call: &Call<'_>,
        cancel: Arc<Cancel>,
    ) -> oneshot::Receiver<Reply> {
        let (responder, answer) = replying(cancel);
        self.send(toward, call, Some(responder));
        answer
    }

    /// Sends a request on. Its answer stays behind the messages of the lane that came before it.
    pub(super) fn ask_in_order(
        &self,
        toward: Toward,
        call: &Call<'_>,
        cancel: Arc<Cancel>,
        lane: Option<&str>,
    ) -> oneshot::Receiver<Reply> {
        let (responder, answer) = replying(cancel);
        self.send(toward, call, Some(self.in_lane(toward, lane, responder)));
        answer
    }

    pub(super) fn notify(&self, toward: Toward, call: &Call<'_>) {
        self.send(toward, call, None);
    }
}

/// A call that owns its text.
struct Owned {
    method: Box<str>,
    params: Option<Json>,
}

impl Owned {
    fn of(call: &Call<'_>) -> Self {
        Self { method: (&*call.method).into(), params: call.params.map(Json::from_text) }
    }

    fn bytes(&self) -> usize {
        self.method.len() + self.params.as_ref().map_or(0, |params| params.as_str().len())
    }

    fn call(&self) -> Call<'_> {
        Call { method: (&*self.method).into(), params: self.params.as_ref().map(Json::as_str) }
    }
}

fn replying(cancel: Arc<Cancel>) -> (Responder, oneshot::Receiver<Reply>) {
    let (sender, answer) = oneshot::channel();
    let responder = Responder::then(cancel, move |answer| {
        // A handler that is gone does not want it.
        let _ = sender.send(Reply::from_answer(answer));
    });
    (responder, answer)
}
