//! The conversation of an MCP client with one server: its requests, and the era that it speaks.

mod asking;
mod legacy;
mod listening;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{Error, Id};
use tokio::sync::{Notify, oneshot};

use self::legacy::Legacy;
use self::listening::Listening;
use super::hearer::{Hearer, Listens};
use super::offers::Offer;
use super::out::Out;
use super::shared::Shared;
use crate::flow::cancel::Cancel;
use crate::flow::reply::Reply;
use crate::wire::forms;
use crate::wire::member::{at, member};
use crate::wire::message::{Answer, Call, Message, id_of_text};

/// The most requests of a client that are open at once.
const MOST_REQUESTS: usize = 256;
/// The member that a request of the modern era has.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The conversation of a client with a server. A client of the modern era says everything with each
/// request. One of the legacy era begins with `initialize`, and what it says is added to its later
/// requests.
pub(super) struct Conversation {
    shared: Arc<Shared>,
    pub(super) offer: Arc<Offer>,
    state: Mutex<State>,
    answered: Notify,
}

#[derive(Default)]
struct State {
    legacy: Option<Arc<Legacy>>,
    /// Requests of the client.
    active: HashMap<Id, (Arc<Cancel>, Out)>,
    /// Requests to the client.
    asked: HashMap<i64, oneshot::Sender<Reply>>,
    last_asked: i64,
    /// The way for messages that belong to no request.
    aside: Option<Out>,
    listening: Listening,
    is_over: bool,
}

impl Conversation {
    pub(super) fn new(shared: &Arc<Shared>, offer: &Arc<Offer>) -> Arc<Self> {
        Arc::new(Self {
            shared: Arc::clone(shared),
            offer: Arc::clone(offer),
            state: Mutex::default(),
            answered: Notify::new(),
        })
    }

    /// Sets the way for messages that belong to no request.
    pub(super) fn set_aside(&self, out: Option<Out>) {
        self.state().aside = out;
    }

    /// Takes a message of the client. The answer to a request goes out where it says.
    pub(super) fn take(self: &Arc<Self>, line: &str, out: &Out) {
        match Message::split(line) {
            Message::Request { id, call } => self.request(id, &call, out),
            Message::Notification(call) => self.notification(&call),
            Message::Response { id: Id::Int(id), answer } => {
                let asked = self.state().asked.remove(&id);
                if let Some(asked) = asked {
                    let _ = asked.send(Reply::from_answer(answer));
                }
            }
            Message::Response { .. } => {}
            Message::Invalid { id, problem } => refuse(out, &id, &Error::invalid_request(problem)),
            Message::NotJson => refuse(out, &Id::Null, &Error::parse_error()),
        }
    }

    fn request(self: &Arc<Self>, id: Id, call: &Call<'_>, out: &Out) {
        let is_modern = call.params.is_some_and(is_modern);
        let legacy = self.state().legacy.clone().filter(|_| !is_modern);
        let cancel = match self.entered(&id, out) {
            Ok(cancel) => cancel,
            Err(error) => return refuse(out, &id, &error),
        };
        let open = Open { id, out: out.clone(), cancel };
        match (&*call.method, legacy) {
            ("initialize", _) if !is_modern => self.initialize(call.params, open),
            ("ping", _) if !is_modern => self.answer(&open, Answer::Result("{}")),
            (_, Some(legacy)) => self.legacy_request(&legacy, call, open),
            (_, None) => self.forward(call, open),
        }
    }

    /// Passes a request on as it is.
    fn forward(self: &Arc<Self>, call: &Call<'_>, open: Open) {
        let hearer = Hearer::Client { out: open.out.clone(), id: open.id.clone() };
        let (this, cancel) = (Arc::clone(self), Arc::clone(&open.cancel));
        self.shared.ask(&self.offer, call, hearer, cancel, move |answer| this.answer(&open, answer));
    }

    fn entered(&self, id: &Id, out: &Out) -> Result<Arc<Cancel>, Error> {
        let mut state = self.state();
        if state.is_over {
            return Err(self.over_error());
        }
        if state.active.contains_key(id) {
            return Err(Error::invalid_request("a request with this id is still being handled"));
        }
        if state.active.len() >= MOST_REQUESTS {
            return Err(Error::internal("too many requests are being handled: wait for answers"));
        }
        let cancel = Arc::<Cancel>::default();
        state.active.insert(id.clone(), (Arc::clone(&cancel), out.clone()));
        Ok(cancel)
    }

    /// Answers a request, unless it was withdrawn.
    fn answer(&self, open: &Open, answer: Answer<'_>) {
        if self.state().active.remove(&open.id).is_none() {
            return;
        }
        open.out.push_answer(|buffer| forms::answer(buffer, &open.id, answer));
        self.answered.notify_waiters();
    }

    fn notification(self: &Arc<Self>, call: &Call<'_>) {
        match &*call.method {
            "notifications/cancelled" => {
                let id = call.params.and_then(|params| member(params, "requestId")).and_then(id_of_text);
                let withdrawn = id.and_then(|id| self.state().active.remove(&id));
                if let Some((cancel, out)) = withdrawn {
                    cancel.fire();
                    out.no_answer();
                    self.answered.notify_waiters();
                }
            }
            "notifications/initialized" => self.listen(),
            // The others have no way to the server: it is only told with requests.
            _ => {}
        }
    }

    /// Waits until all requests are answered.
    pub(super) async fn idle(&self) {
        loop {
            let answered = self.answered.notified();
            if self.state().active.is_empty() {
                return;
            }
            answered.await;
        }
    }

    /// Ends the conversation: requests are answered with an error, and withdrawn.
    pub(super) fn end(&self) {
        let active = {
            let mut state = self.state();
            state.is_over = true;
            state.asked.clear();
            state.aside = None;
            state.listening.end();
            std::mem::take(&mut state.active)
        };
        for (id, (cancel, out)) in active {
            refuse(&out, &id, &self.over_error());
            cancel.fire();
        }
        self.answered.notify_waiters();
    }

    fn over_error(&self) -> Error {
        Error::internal(format!("the session of the MCP server `{}` is over", self.offer.name))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes on what the server says to a client that listens.
impl Listens for Conversation {
    fn heard(&self, call: &Call<'_>) {
        let aside = self.state().aside.clone();
        // The client did not ask for it.
        let is_acknowledged = call.method == "notifications/subscriptions/acknowledged";
        if let Some(aside) = aside.filter(|_| !is_acknowledged) {
            aside.push(|buffer| forms::plain(buffer, None, call));
        }
    }
}

/// A request of the client that has no answer yet.
#[derive(Clone)]
struct Open {
    id: Id,
    out: Out,
    cancel: Arc<Cancel>,
}

/// Tells whether params are those of a request of the modern era.
pub(super) fn is_modern(params: &str) -> bool {
    at(params, &["_meta", VERSION]).is_some()
}

/// Answers a request with an error of the bridge.
pub(super) fn refuse(out: &Out, id: &Id, error: &Error) {
    let text = forms::error_text(error);
    out.push_answer(|buffer| forms::answer(buffer, id, Answer::Error(&text)));
}
