//! The rest of the chain, as a handler sees it.

use std::fmt;
use std::sync::Arc;

use acp_rpc::{Encode, Error, Fault};

use super::neighbor::Neighbor;
use super::ways::Held;
use crate::flow::cancel::Cancel;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::route::Toward;

/// The rest of the chain for a request. [`run`](Self::run) sends the request on and returns its
/// answer. A handler that drops it answers in place of the rest.
///
/// In version 2 a prompt is answered when the user's message is inserted, and states report its
/// turn. A handler of [`Proxy::prompt`](crate::Proxy::prompt) answers at the end of the turn in
/// both versions, and the proxy writes the rest. The turn begins when the handler has dropped this
/// and waits for something, sends something to the client, or answers. Before that an error refuses
/// the prompt, and after that it ends the turn.
///
/// Messages of the same session and direction wait until the request was sent on or this is
/// dropped. So they keep their order.
pub struct Next {
    pub(super) held: Held,
    pub(super) cancel: Arc<Cancel>,
}

impl Next {
    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.held.method
    }

    /// Returns the version of the protocol that the chain speaks. It is 0 until `initialize` is
    /// answered.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.held.ways.version()
    }

    /// Waits until the sender has cancelled the request, or is gone. A prompt is cancelled by
    /// `session/cancel` and `session/close` as well. A request that was sent on is cancelled by the
    /// chain itself.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        let (cancel, stop) = (Arc::clone(&self.cancel), self.held.stop.clone());
        async move {
            match stop {
                None => cancel.fired().await,
                Some(stop) => tokio::select! {
                    () = cancel.fired() => {}
                    () = stop.fired() => {}
                },
            }
        }
    }

    /// Returns a handle on the neighbors of the proxy, for messages of its own.
    #[must_use]
    pub fn neighbor(&self, toward: Toward) -> Neighbor {
        Neighbor::of(&self.held, toward)
    }

    /// Sends the request on as it came, and returns the answer.
    pub async fn run(self) -> Reply {
        let params = self.held.params.clone();
        self.send(params.as_ref()).await
    }

    /// Sends the request on with other params, and returns the answer. If the params have no JSON
    /// text, nothing is sent and the answer is an error.
    pub async fn run_with(self, params: &(impl Encode + Sync + ?Sized)) -> Reply {
        match self.held.written(params) {
            Ok(params) => self.send(Some(&params)).await,
            Err(error) => Error::internal(format!("the changed params are not JSON: {error}")).into(),
        }
    }

    async fn send(self, params: Option<&Json>) -> Reply {
        let Self { held, cancel } = self;
        // A request without a session may make one: then the result names the lane.
        let lane = Some(held.lane.clone()).filter(|lane| !lane.is_empty());
        #[cfg(feature = "v2")]
        if let Some(prompt) = &held.prompt {
            prompt.sent_on();
        }
        let answer = held.ways.ask_in_order(held.toward, &held.call(params), cancel, lane.as_deref());
        // From here on the messages behind it may follow.
        drop(held.turn);
        let _asking = held.ways.budget().asks();
        let reply = answer.await;
        let reply = reply.unwrap_or_else(|_| Error::internal("the rest of the chain gave no answer").into());
        #[cfg(feature = "v2")]
        {
            if let Some(prompt) = &held.prompt {
                prompt.answered(&reply);
            }
            if let (Some(heard), Some(result)) = (&held.heard, reply.result()) {
                let _ = heard.set(result.clone());
            }
            if let Some(seen) = &held.seen {
                return seen.reply(reply);
            }
        }
        reply
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("method", &self.held.method).finish_non_exhaustive()
    }
}

/// The rest of the chain for a notification. A handler that drops it keeps the notification back.
///
/// Messages of the same session and direction wait until the notification was sent on or this is
/// dropped.
pub struct Pass(pub(super) Held);

impl Pass {
    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.0.method
    }

    /// Returns the version of the protocol that the chain speaks. It is 0 until `initialize` is
    /// answered.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.0.ways.version()
    }

    /// Returns a handle on the neighbors of the proxy, for messages of its own.
    #[must_use]
    pub fn neighbor(&self, toward: Toward) -> Neighbor {
        Neighbor::of(&self.0, toward)
    }

    /// Sends the notification on as it came.
    pub fn run(self) {
        self.0.ways.relay(self.0.toward, &self.0.call(self.0.params.as_ref()), None);
    }

    /// Sends the notification on with other params.
    ///
    /// # Errors
    /// The params have no JSON text. Nothing is sent then.
    pub fn run_with(self, params: &(impl Encode + ?Sized)) -> Result<(), acp_rpc::EncodeError> {
        let params = self.0.written(params)?;
        self.0.ways.relay(self.0.toward, &self.0.call(Some(&params)), None);
        Ok(())
    }

    pub(super) fn unreadable(&self, error: &dyn fmt::Display) {
        self.0.ways.fault(Fault::Ignored { method: self.method(), reason: &error.to_string() });
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("method", &self.0.method).finish_non_exhaustive()
    }
}
