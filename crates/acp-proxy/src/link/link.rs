//! The tables of a connection: its requests that are open, on either side.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use acp_rpc::lines::Outlet;
use acp_rpc::{Error, Id};
use tokio::sync::Notify;

use crate::flow::cancel::{Cancel, Withdraw};
use crate::flow::responder::{Answers, Responder};
use crate::wire::forms::{self, Form};
use crate::wire::member::{member, with};
use crate::wire::message::{Answer, Call, id_of_text};
use crate::wire::spelling::Speech;

/// The most requests of a peer that are open at once.
const MAX_IN_FLIGHT: usize = 16 * 1024;
/// A peer that is still sent something gets its answers for so many times the patience.
const LONGEST: u32 = 60;

/// A connection to a component, or to the client.
pub(crate) struct Link {
    outlet: OnceLock<Outlet>,
    pub(super) speech: Speech,
    tables: Mutex<Tables>,
    /// Tells readers that an outlet of the chain has filled up.
    filled: Arc<Notify>,
    /// Tells that every request of the peer is answered.
    idle: Notify,
    /// The number of messages that were sent.
    sent: AtomicU64,
}

#[derive(Default)]
struct Tables {
    next_id: i64,
    /// Requests to the peer.
    pending: HashMap<i64, Responder>,
    /// Requests of the peer.
    in_flight: HashMap<Id, Arc<Cancel>>,
    gone: Option<Gone>,
}

/// The error that answers every request to a connection that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Gone(pub(crate) Error);

impl Link {
    pub(crate) fn new(filled: Arc<Notify>, speech: Speech) -> Self {
        Self {
            outlet: OnceLock::new(),
            speech,
            tables: Mutex::default(),
            filled,
            idle: Notify::new(),
            sent: AtomicU64::new(0),
        }
    }

    /// Sets the way out. It is set once, before the link is used.
    pub(crate) fn attach(&self, outlet: Outlet) {
        let _ = self.outlet.set(outlet);
    }

    pub(crate) fn outlet(&self) -> Option<&Outlet> {
        self.outlet.get()
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        if let Some(outlet) = self.outlet.get() {
            outlet.close();
        }
    }

    /// Sends a request, or a notification if nobody waits for an answer.
    pub(crate) fn send(self: &Arc<Self>, form: Form, call: &Call<'_>, responder: Option<Responder>) {
        let spelled = (self.speech.side, self.speech.spelling());
        let Some(responder) = responder else {
            self.push(|buffer| forms::call(buffer, None, form, call, spelled));
            return;
        };
        let cancel = Arc::clone(responder.cancel());
        let id = match self.entered(responder) {
            Ok(id) => id,
            Err((responder, Gone(error))) => return responder.refuse(&error),
        };
        self.push(|buffer| forms::call(buffer, Some(id), form, call, spelled));
        cancel.sent_on(Arc::clone(self) as Arc<dyn Withdraw>, id);
    }

    fn entered(&self, responder: Responder) -> Result<i64, (Responder, Gone)> {
        let mut tables = self.tables();
        if let Some(gone) = &tables.gone {
            return Err((responder, gone.clone()));
        }
        let id = tables.next_id;
        tables.next_id += 1;
        tables.pending.insert(id, responder);
        Ok(id)
    }

    /// Takes a request of the peer. Returns the obligation to answer it, or `None` if it was
    /// refused.
    pub(crate) fn received(self: &Arc<Self>, id: Id) -> Option<Responder> {
        let cancel = Arc::new(Cancel::of(id.clone()));
        let refused = {
            let mut tables = self.tables();
            if tables.in_flight.contains_key(&id) {
                Some(Error::invalid_request("a request with this id is still being handled"))
            } else if tables.in_flight.len() >= MAX_IN_FLIGHT {
                Some(Error::internal("too many requests are being handled: send it again later"))
            } else {
                tables.in_flight.insert(id.clone(), Arc::clone(&cancel));
                None
            }
        };
        match refused {
            Some(error) => {
                self.refuse(&id, &error);
                None
            }
            None => Some(Responder::of_peer(Arc::clone(self) as Arc<dyn Answers>, id, cancel)),
        }
    }

    /// Returns params that name a request of this side by its id, with the id that the sender of
    /// that request gave to it. Returns `None` if they name none.
    pub(crate) fn with_origin(&self, params: &str) -> Option<String> {
        let Some(Id::Int(named)) = member(params, "requestId").and_then(id_of_text) else { return None };
        let origin = self.tables().pending.get(&named)?.cancel().origin().cloned();
        with(params, "requestId", &forms::id_text(&origin?))
    }

    /// Answers a message that is not a request in flight.
    pub(crate) fn refuse(&self, id: &Id, error: &Error) {
        let text = forms::error_text(error);
        self.push(|buffer| forms::answer(buffer, id, Answer::Error(&text)));
    }

    /// Takes the answer to a request of this side. Returns false if there is none with this id.
    pub(crate) fn answered(&self, id: &Id, answer: Answer<'_>) -> bool {
        let Id::Int(id) = id else { return false };
        let responder = self.tables().pending.remove(id);
        match responder {
            Some(responder) => {
                responder.answer(answer);
                true
            }
            None => false,
        }
    }

    /// Cancels a request of the peer.
    pub(crate) fn cancelled(&self, id: &Id) {
        let cancel = self.tables().in_flight.get(id).cloned();
        if let Some(cancel) = cancel {
            cancel.fire();
        }
    }

    /// Fails all requests to the peer, now and from now on, and cancels those of the peer.
    pub(crate) fn fail(&self, gone: &Gone) {
        let (pending, in_flight) = {
            let mut tables = self.tables();
            tables.gone.get_or_insert_with(|| gone.clone());
            (std::mem::take(&mut tables.pending), std::mem::take(&mut tables.in_flight))
        };
        let mut pending: Vec<_> = pending.into_iter().collect();
        pending.sort_unstable_by_key(|(id, _)| *id);
        for (_, responder) in pending {
            responder.refuse(&gone.0);
        }
        for cancel in in_flight.into_values() {
            cancel.fire();
        }
    }

    /// Answers all open requests of the peer with an error.
    pub(crate) fn answer_all(&self, error: &Error) {
        let ids: Vec<Id> = self.tables().in_flight.keys().cloned().collect();
        let text = forms::error_text(error);
        for id in ids {
            self.answer(&id, Answer::Error(&text));
        }
    }

    /// Waits until every request of the peer is answered, nothing was sent for so long, or nothing
    /// more can be sent. In any case it ends after 60 times as long.
    pub(crate) async fn idle(&self, patience: Duration) {
        let Some(outlet) = self.outlet.get() else { return };
        let quiet = tokio::time::timeout(patience.saturating_mul(LONGEST), self.quiet(patience));
        tokio::select! {
            biased;
            () = outlet.finished() => {}
            _ = quiet => {}
        }
    }

    async fn quiet(&self, patience: Duration) {
        loop {
            let before = self.sent.load(Ordering::Relaxed);
            let is_idle = tokio::time::timeout(patience, self.answered_all()).await.is_ok();
            if is_idle || self.sent.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }

    async fn answered_all(&self) {
        loop {
            let idle = self.idle.notified();
            if self.tables().in_flight.is_empty() {
                return;
            }
            idle.await;
        }
    }

    fn push(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let Some(outlet) = self.outlet.get() else { return };
        // A connection that has ended has failed its requests already.
        if !outlet.push(write) {
            return;
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        if !outlet.has_room() {
            self.filled.notify_waiters();
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answers for Link {
    fn answer(&self, id: &Id, answer: Answer<'_>) {
        // Before it leaves: the peer may use the id again as soon as it has the answer.
        let was_open = self.tables().in_flight.remove(id).is_some();
        if was_open {
            self.push(|buffer| forms::answer(buffer, id, answer));
            self.idle.notify_waiters();
        }
    }
}

impl Withdraw for Link {
    fn withdraw(&self, id: i64) {
        let is_open = self.tables().pending.contains_key(&id);
        if is_open {
            self.push(|buffer| forms::cancel(buffer, id));
        }
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}
