//! `initialize` on its way through the proxies of a chain.

use std::sync::Arc;

use acp_rpc::{CancellationToken, Error};
use tokio::sync::oneshot;

use super::chain::Chain;
use super::component::Failure;
use super::slot::{Given, Slot};
use crate::flow::cancel::Cancel;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::link::Link;
use crate::wire::forms::{Form, INITIALIZE};
use crate::wire::member::{member, text};
use crate::wire::message::{Answer, Call};

impl Chain {
    /// Sends `proxy/initialize` to the proxy behind a joint, and checks its answer.
    pub(super) fn initialize(
        &self,
        joint: usize,
        slot: &Arc<Slot>,
        call: &Call<'_>,
        responder: Option<Responder>,
    ) -> Given {
        // Nobody waits for a notification of this name, so it says nothing.
        let Some(responder) = responder else { return Given::Done };
        if slot.is_bypassed() {
            return Given::Bypassed(Some(responder));
        }
        slot.asked(call.params);
        let cancel = Arc::clone(responder.cancel());
        let (slot_of_answer, again) = (Arc::clone(slot), self.again(joint, call));
        let checked = Responder::then(cancel, move |answer| {
            if slot_of_answer.is_bypassed() {
                return again(responder);
            }
            match checked(&slot_of_answer, answer) {
                Ok(()) => responder.answer(answer),
                Err(error) => responder.refuse(&error),
            }
        });
        slot.give(Form::ProxyInitialize, call, Some(checked))
    }

    /// Returns a function that passes `initialize` on to the next component, for an optional proxy
    /// that ends before it has answered.
    fn again(&self, joint: usize, call: &Call<'_>) -> impl FnOnce(Responder) + Send + 'static {
        let chain = self.weak();
        let params = call.params.map(Json::from_text);
        move |responder| {
            let Some(chain) = chain.upgrade() else { return };
            let call = Call { method: INITIALIZE.into(), params: params.as_ref().map(Json::as_str) };
            chain.pass(joint + 1, Toward::Agent, &call, Some(responder));
        }
    }

    /// Passes a proxy's `initialize` on to its successor, and notes the answer.
    pub(super) fn initialize_successor(
        &self,
        joint: usize,
        slot: &Arc<Slot>,
        call: &Call<'_>,
        responder: Responder,
    ) {
        if slot.is_waiting() {
            // The proxy was started again, and its successor is initialized.
            return match slot.recorded_successor() {
                Some(result) => responder.answer(Answer::Result(result.as_str())),
                None => responder.refuse(&Error::internal("the successor has not been initialized")),
            };
        }
        let slot = Arc::clone(slot);
        let noted = responder.seen_by(move |answer, pass| {
            if let Answer::Result(result) = answer {
                slot.successor_answered(result);
            }
            pass(answer);
        });
        self.pass(joint, Toward::Agent, call, Some(noted));
    }

    /// Starts a proxy again, and initializes it as it was before. If that fails, this is tried for
    /// as often as the policy allows.
    pub(crate) async fn restart(&self, index: usize) {
        let Some((_, slot)) = self.slots().find(|(place, _)| *place == index) else { return };
        while let Err(failure) = self.restarted(index, slot).await {
            if !slot.may_start_again() {
                slot.fail(&failure);
                return self.fail(failure);
            }
        }
    }

    async fn restarted(&self, index: usize, slot: &Arc<Slot>) -> Result<(), Failure> {
        let limit = self.settings.restart_timeout;
        let opened = tokio::time::timeout(limit, self.opened(slot)).await;
        let opened = opened.map_err(|_| slot.failure("it was not started again in time"))?;
        let Some(transport) = opened else { return Ok(()) };
        let transport = transport.map_err(|error| slot.failure(error))?;
        let Some(link) = self.connect(index, slot, transport) else { return Ok(()) };
        let outcome = match self.initialized_again(slot, &link).await {
            Ok(true) => slot.resume(&link),
            Ok(false) => Ok(()),
            Err(failure) => Err(failure),
        };
        // Components are closed once, which may have been before this one was there.
        if outcome.is_err() || self.closed.is_cancelled() {
            link.close();
        }
        outcome
    }

    /// Initializes a proxy that was started again. Returns false if the chain has ended meanwhile.
    async fn initialized_again(&self, slot: &Arc<Slot>, link: &Arc<Link>) -> Result<bool, Failure> {
        let (sender, answer) = oneshot::channel();
        let cancel = Arc::<Cancel>::default();
        let responder = Responder::then(cancel, move |answer| {
            let _ = sender.send(Reply::from_answer(answer));
        });
        let asked = slot.recorded_asked();
        let call = Call { method: INITIALIZE.into(), params: asked.as_ref().map(Json::as_str) };
        slot.asked(call.params);
        link.send(Form::ProxyInitialize, &call, Some(responder));
        let limit = self.settings.restart_timeout;
        let reply = tokio::time::timeout(limit, unless_closed(&self.closed, answer)).await;
        let reply = match reply {
            Ok(Some(reply)) => reply,
            Ok(None) => return Ok(false),
            Err(_) => return Err(slot.failure("it was started again, but did not answer in time")),
        };
        checked(slot, reply.as_answer()).map_err(|error| slot.failure(error.message))?;
        match reply.error() {
            Some(error) => {
                let message = text(error.as_str(), "message").unwrap_or_default();
                Err(slot.failure(format!("it was started again, and could not be initialized: {message}")))
            }
            None => Ok(true),
        }
    }
}

/// Waits for the answer, or returns `None` when the chain has ended.
async fn unless_closed(closed: &CancellationToken, answer: oneshot::Receiver<Reply>) -> Option<Reply> {
    tokio::select! {
        biased;
        () = closed.cancelled() => None,
        answer = answer => Some(answer.unwrap_or_else(|_| Error::internal("it gave no answer").into())),
    }
}

/// Checks the answer of a proxy to `proxy/initialize`.
fn checked(slot: &Slot, answer: Answer<'_>) -> Result<(), Error> {
    let Answer::Result(result) = answer else { return Ok(()) };
    let Some(successor) = slot.successor() else {
        return Err(slot
            .failure("it answered `proxy/initialize` before it had initialized its successor")
            .to_rpc());
    };
    if member(result, "protocolVersion") != member(successor.as_str(), "protocolVersion") {
        return Err(slot.failure("it changed `protocolVersion` in its successor's answer").to_rpc());
    }
    slot.initialized();
    Ok(())
}
