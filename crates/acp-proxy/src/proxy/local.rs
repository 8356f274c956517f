//! A proxy of this process in its place in a chain.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use acp_rpc::{BoxFuture, CancellationToken, Error, Fault};

use super::builder::{Handlers, Proxy};
use super::capabilities;
use super::mcp::{self, McpCall, Offered};
use super::next::{Held, Next, Pass};
use super::observed::Observed;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::lane::{Budget, Job, Lanes, Turn};
use crate::wire::forms::INITIALIZE;
use crate::wire::member::session_of;
use crate::wire::message::{Answer, Call};

/// A proxy in its place: between the joint of its number and the next one.
pub(crate) struct Local {
    handlers: Arc<Handlers>,
    ways: Arc<Ways>,
    offered: Arc<Offered>,
    requests: AtomicU64,
}

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
}

impl Local {
    /// Puts a proxy between a joint and the next.
    pub(crate) fn new(
        proxy: &Proxy,
        route: Weak<dyn Route>,
        joint: usize,
        budget: usize,
        closed: CancellationToken,
        on_fault: OnFault,
    ) -> Self {
        let handlers = Arc::clone(&proxy.handlers);
        let budget = Budget::new(budget);
        let ways = Ways {
            route,
            joint,
            to_agent: Lanes::new(&budget),
            to_client: Lanes::new(&budget),
            orders_to_agent: handlers.has_any(Toward::Agent),
            orders_to_client: handlers.has_any(Toward::Client),
            closed,
            on_fault,
        };
        Self { handlers, ways: Arc::new(ways), offered: Arc::default(), requests: AtomicU64::new(0) }
    }

    /// Takes a message that goes through the proxy.
    pub(crate) fn pass(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        let Some(responder) = self.observe(toward, call, responder) else { return };
        match responder {
            Some(responder) if call.method == INITIALIZE && toward == Toward::Agent => {
                self.initialize(call, responder);
            }
            Some(responder) => self.request(toward, call, responder),
            // It is for a server of this proxy, and says nothing that the server waits for.
            None if toward == Toward::Client && self.offered.call(call).is_some() => {}
            None => self.notification(toward, call),
        }
    }

    /// Returns a future to wait for while too much waits for handlers.
    pub(crate) fn pause(&self) -> Option<BoxFuture> {
        let budget = Arc::clone(self.ways.budget());
        (!budget.has_room()).then(|| Box::pin(async move { budget.room().await }) as BoxFuture)
    }

    /// Shows a message to the observer. Returns the way on, or `None` if it goes no further.
    fn observe(
        &self,
        toward: Toward,
        call: &Call<'_>,
        responder: Option<Responder>,
    ) -> Option<Option<Responder>> {
        let Some(observer) = &self.handlers.observer else { return Some(responder) };
        let (method, params) = (&*call.method, call.params);
        let Some(responder) = responder else {
            let passes = observer(Observed::Notification { toward, method, params });
            return passes.ok().map(|()| None);
        };
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = observer(Observed::Request { number, toward, method, params }) {
            responder.refuse(&error);
            return None;
        }
        let (observer, method, toward) = (Arc::clone(observer), Box::<str>::from(method), toward.back());
        Some(Some(responder.seen_by(move |answer, pass| {
            let passes = observer(match answer {
                Answer::Result(result) => Observed::Result { number, toward, method: &method, result },
                Answer::Error(error) => Observed::Error { number, toward, method: &method, error },
            });
            match passes {
                Ok(()) => pass(answer),
                Err(error) => pass(Reply::from(error).as_answer()),
            }
        })))
    }

    /// Passes `initialize` on with what the proxy takes away, and its answer with what it adds.
    fn initialize(&self, call: &Call<'_>, responder: Responder) {
        let handlers = Arc::clone(&self.handlers);
        let asked = call.params.and_then(|params| capabilities::asked(params, &handlers));
        let offered = Arc::clone(&self.offered);
        let responder = if handlers.changes_capabilities() {
            responder.seen_by(move |answer, pass| {
                let Answer::Result(result) = answer else { return pass(answer) };
                offered.note_capabilities(result);
                match capabilities::answered(result, &handlers) {
                    Some(changed) => pass(Answer::Result(&changed)),
                    None => pass(answer),
                }
            })
        } else {
            responder
        };
        let params = asked.as_deref().or(call.params);
        self.request(Toward::Agent, &Call { method: INITIALIZE.into(), params }, responder);
    }

    fn request(&self, toward: Toward, call: &Call<'_>, responder: Responder) {
        if self.handlers.refuses(toward, &call.method) {
            return responder.refuse(&Error::method_not_found(&call.method));
        }
        match toward {
            Toward::Agent => match self.offered.add(call, &self.handlers.server_names) {
                Ok(None) => self.offered.forget(call),
                Ok(Some(added)) => {
                    let responder = added.noted(responder);
                    let params = Some(added.params.as_str());
                    return self.handled(toward, &Call { method: call.method.clone(), params }, responder);
                }
                Err(error) => return responder.refuse(&error),
            },
            Toward::Client => {
                if let Some((index, mcp)) = self.offered.call(call) {
                    return self.serve_mcp(index, mcp, responder);
                }
            }
        }
        self.handled(toward, call, responder);
    }

    /// Lets a server of this proxy answer.
    fn serve_mcp(&self, index: usize, call: McpCall, responder: Responder) {
        let Some(server) = self.handlers.servers.get(index) else { return };
        let (answering, closed) = (server(call), self.ways.closed.clone());
        let cancel = Arc::clone(responder.cancel());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = cancel.fired() => responder.refuse(&Error::cancelled()),
                outcome = answering => responder.answer(mcp::answered(outcome).as_answer()),
                () = closed.cancelled() => {}
            }
        });
    }

    fn handled(&self, toward: Toward, call: &Call<'_>, responder: Responder) {
        let Some(handler) = self.handlers.of_request(toward, &call.method) else {
            let lane = self.ways.orders(toward.back()).then(|| session_of(call.params)).flatten();
            let responder = self.ways.in_lane(toward, lane.as_deref(), responder);
            return self.ways.follow(toward, call, Some(responder));
        };
        let handler = Arc::clone(handler);
        self.ways.handle(toward, call, move |held, closed| {
            let cancel = Arc::clone(responder.cancel());
            let params = held.params.clone().unwrap_or_else(|| Json::from_text("null"));
            let replying = handler(params, Next { held, cancel });
            tokio::spawn(async move {
                tokio::select! {
                    biased;
                    reply = replying => responder.answer(reply.as_answer()),
                    () = closed.cancelled() => {}
                }
            });
        });
    }

    fn notification(&self, toward: Toward, call: &Call<'_>) {
        let Some(handler) = self.handlers.of_notification(toward, &call.method) else {
            return self.ways.follow(toward, call, None);
        };
        let handler = Arc::clone(handler);
        self.ways.handle(toward, call, move |held, closed| {
            let params = held.params.clone().unwrap_or_else(|| Json::from_text("null"));
            let handling = handler(params, Pass(held));
            tokio::spawn(async move {
                tokio::select! {
                    biased;
                    () = handling => {}
                    () = closed.cancelled() => {}
                }
            });
        });
    }
}

impl Ways {
    pub(super) const fn budget(&self) -> &Arc<Budget> {
        self.to_agent.budget()
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

    const fn onward(&self, toward: Toward) -> usize {
        match toward {
            Toward::Agent => self.joint + 1,
            Toward::Client => self.joint,
        }
    }

    /// Tells whether messages in this direction may wait for handlers.
    const fn orders(&self, toward: Toward) -> bool {
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
    fn follow(self: &Arc<Self>, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        let lanes = self.lanes(toward);
        if !lanes.are_idle() {
            let lane = session_of(call.params).unwrap_or_default();
            if lanes.is_busy(&lane) {
                let (ways, call) = (Arc::clone(self), Owned::of(call));
                let bytes = call.bytes();
                let pass = Job::Pass(Box::new(move || ways.send(toward, &call.call(), responder)));
                return lanes.add(&lane, pass, bytes);
            }
        }
        self.send(toward, call, responder);
    }

    /// Lets a handler have a message in its turn.
    fn handle(
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
            start(Held { ways, toward, method, params, lane: name, turn }, closed);
        };
        self.lanes(toward).add(&lane, Job::Handle(Box::new(handle)), bytes);
    }

    /// Keeps the answer to a request behind the messages of its session that came before it. The
    /// session is that of the request, or else the one that the result names.
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
            match lane {
                Some(lane) if lanes.is_busy(&lane) => {
                    let reply = Reply::from_answer(answer);
                    let bytes = reply.text().len();
                    let pass = Job::Pass(Box::new(move || responder.answer(reply.as_answer())));
                    lanes.add(&lane, pass, bytes);
                }
                _ => responder.answer(answer),
            }
        })
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

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("joint", &self.ways.joint).finish_non_exhaustive()
    }
}
