//! A proxy of this process in its place in a chain.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use acp_rpc::{BoxFuture, CancellationToken, Error};

use super::builder::{Handlers, Proxy};
use super::capabilities;
use super::handler::Observer;
use super::mcp::{self, McpCall, Offered};
use super::next::Pass;
use super::observed::Observed;
use super::start::Start;
#[cfg(feature = "v2")]
use super::turns;
use super::ways::{OnFault, Ways};
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::wire::forms::INITIALIZE;
use crate::wire::member::session_of;
use crate::wire::message::{Answer, Call};
use crate::wire::methods::PROMPT;
#[cfg(feature = "v2")]
use crate::wire::methods::closes_session;

/// A proxy in its place: between the joint of its number and the next one.
pub(crate) struct Local {
    handlers: Arc<Handlers>,
    ways: Arc<Ways>,
    offered: Arc<Offered>,
    requests: AtomicU64,
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
        let orders = |toward| handlers.has_any(toward);
        let ways = Ways::new(route, joint, budget, orders, closed, on_fault);
        #[cfg(feature = "v2")]
        let ways = ways.looking(handlers.takes_prompts(), handlers.sets_modes());
        Self { handlers, ways: Arc::new(ways), offered: Arc::default(), requests: AtomicU64::new(0) }
    }

    /// Takes a message that goes through the proxy.
    pub(crate) fn pass(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        let Some(responder) = self.observe(toward, call, responder) else { return };
        let responder = self.stopping(toward, call, responder);
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
        let is_answered = Self::observe_cancellation(observer, number, toward, method, &responder);
        let (observer, method, toward) = (Arc::clone(observer), Box::<str>::from(method), toward.back());
        Some(Some(responder.seen_by(move |answer, pass| {
            is_answered.store(true, Ordering::SeqCst);
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

    /// Tells handlers that have prompts of a session that the client wants no more of them. In
    /// version 2 a session is closed after its turns.
    fn stopping(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) -> Option<Responder> {
        let ends =
            matches!((&*call.method, &responder), ("session/cancel", None) | ("session/close", Some(_)));
        let session = session_of(call.params).filter(|_| ends && toward == Toward::Agent);
        let Some(session) = session else { return responder };
        self.ways.turns().stop(&session);
        #[cfg(feature = "v2")]
        if let Some(responder) = responder {
            return Some(turns::answered_after(self.ways.turns(), &session, responder));
        }
        responder
    }

    /// Shows the cancellation of a request to the observer. Returns a flag that the answer sets: a
    /// request that is answered is not cancelled.
    fn observe_cancellation(
        observer: &Observer,
        number: u64,
        toward: Toward,
        method: &str,
        responder: &Responder,
    ) -> Arc<AtomicBool> {
        let is_answered = Arc::<AtomicBool>::default();
        let (observer, method) = (Arc::clone(observer), Box::<str>::from(method));
        let has_answer = Arc::clone(&is_answered);
        responder.cancel().guarded(move || {
            has_answer.load(Ordering::SeqCst)
                || observer(Observed::Cancellation { number, toward, method: &method }).is_ok()
        });
        is_answered
    }

    /// Passes `initialize` on with what the proxy takes away, and its answer with what it adds.
    fn initialize(&self, call: &Call<'_>, responder: Responder) {
        let handlers = Arc::clone(&self.handlers);
        let asked = call.params.and_then(|params| capabilities::asked(params, &handlers));
        let (offered, ways) = (Arc::clone(&self.offered), Arc::clone(&self.ways));
        let responder = if handlers.changes_capabilities() || handlers.asks_for_version() {
            responder.seen_by(move |answer, pass| {
                let Answer::Result(result) = answer else { return pass(answer) };
                ways.note_version(result);
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
        #[cfg(feature = "v2")]
        let responder = self.modes_noted(toward, call, responder);
        match toward {
            Toward::Agent => match self.offered.add(call, &self.handlers.server_names) {
                Ok(None) => {
                    let responder = self.offered.closing(call, responder);
                    self.handled(toward, call, responder);
                }
                Ok(Some(added)) => {
                    let responder = added.noted(responder);
                    let params = Some(added.params.as_str());
                    self.handled(toward, &Call { method: call.method.clone(), params }, responder);
                }
                Err(error) => responder.refuse(&error),
            },
            Toward::Client => match self.offered.call(call) {
                Some((index, mcp)) => self.serve_mcp(index, mcp, responder),
                None => self.handled(toward, call, responder),
            },
        }
    }

    /// Learns the modes of sessions, if a handler needs them.
    #[cfg(feature = "v2")]
    fn modes_noted(&self, toward: Toward, call: &Call<'_>, responder: Responder) -> Responder {
        if toward == Toward::Client || !self.handlers.sets_modes() || self.ways.version() != 2 {
            return responder;
        }
        if !closes_session(&call.method) {
            return self.ways.modes().noted(call, responder);
        }
        let (modes, closed) = (self.ways.modes().clone(), session_of(call.params).map(Box::<str>::from));
        responder.seen_by(move |answer, pass| {
            if let (Answer::Result(_), Some(closed)) = (answer, closed) {
                modes.forget(&closed);
            }
            pass(answer);
        })
    }

    /// Lets a server of this proxy answer.
    fn serve_mcp(&self, index: usize, call: McpCall, responder: Responder) {
        let Some(server) = self.handlers.servers.get(index) else { return };
        let (server, closed) = (Arc::clone(server), self.ways.closed().clone());
        let cancel = Arc::clone(responder.cancel());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = cancel.fired() => responder.refuse(&Error::cancelled()),
                outcome = async { server(call).await } => responder.answer(mcp::answered(outcome).as_answer()),
                () = closed.cancelled() => {}
            }
        });
    }

    fn handled(&self, toward: Toward, call: &Call<'_>, responder: Responder) {
        let is_mode = Cell::new(false);
        let sets_mode = || {
            #[cfg(feature = "v2")]
            is_mode.set(self.ways.modes().is_mode(call));
            is_mode.get()
        };
        let version = self.ways.version();
        let Some(handler) = self.handlers.of_request(toward, call, version, sets_mode) else {
            let lane = self.ways.orders(toward.back()).then(|| session_of(call.params)).flatten();
            let responder = self.ways.in_lane(toward, lane.as_deref(), responder);
            return self.ways.follow(toward, call, Some(responder));
        };
        let handler = Arc::clone(handler);
        let start = self.start(toward, call, version, is_mode.get());
        self.ways.handle(toward, call, move |held, closed| start.run(handler, held, responder, closed));
    }

    /// Returns the kind of the answer that a handler's request gets.
    fn start(&self, toward: Toward, call: &Call<'_>, version: u64, is_mode: bool) -> Start {
        if toward == Toward::Agent && call.method == PROMPT {
            let at_handler = self.ways.turns().enter(&session_of(call.params).unwrap_or_default());
            #[cfg(feature = "v2")]
            if version == 2 && self.handlers.takes_prompts() {
                return Start::Turn(at_handler);
            }
            return Start::Prompt(at_handler);
        }
        #[cfg(feature = "v2")]
        if is_mode {
            return Start::Mode;
        }
        let _ = (version, is_mode);
        Start::Plain
    }

    fn notification(&self, toward: Toward, call: &Call<'_>) {
        let Some(handler) = self.handlers.of_notification(toward, &call.method) else {
            return self.ways.follow(toward, call, None);
        };
        let handler = Arc::clone(handler);
        self.ways.handle(toward, call, move |held, closed| {
            let params = held.params.clone().unwrap_or_else(|| Json::from_text("null"));
            tokio::spawn(async move {
                tokio::select! {
                    biased;
                    () = async { handler(params, Pass(held)).await } => {}
                    () = closed.cancelled() => {}
                }
            });
        });
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("requests", &self.requests).finish_non_exhaustive()
    }
}
