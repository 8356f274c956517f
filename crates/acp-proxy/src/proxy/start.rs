//! The start of a request's handler, by the kind of its answer.

use std::sync::Arc;
#[cfg(feature = "v2")]
use std::sync::OnceLock;

use acp_rpc::CancellationToken;

use super::handler::OnRequest;
use super::next::Next;
#[cfg(feature = "v2")]
use super::prompt::Prompt;
use super::turns::AtHandler;
use super::ways::Held;
use crate::flow::json::Json;
use crate::flow::responder::Responder;

/// The kind of a request's answer.
pub(super) enum Start {
    /// The reply of the handler.
    Plain,
    /// The reply of the handler of a prompt, which can be stopped.
    Prompt(AtHandler),
    /// A turn of version 2.
    #[cfg(feature = "v2")]
    Turn(AtHandler),
    /// The config options of version 2, for a handler that sets a mode.
    #[cfg(feature = "v2")]
    Mode,
}

impl Start {
    /// Runs a handler in a task. It may panic before it has a future, so it is called there.
    pub(super) fn run(self, handler: OnRequest, held: Held, responder: Responder, closed: CancellationToken) {
        let cancel = Arc::clone(responder.cancel());
        let params = held.params.clone().unwrap_or_else(|| Json::from_text("null"));
        match self {
            Self::Plain => spawn(closed, async move {
                responder.answer(handler(params, Next { held, cancel }).await.as_answer());
            }),
            Self::Prompt(at_handler) => spawn(closed, async move {
                let held = Held { stop: Some(Arc::clone(&at_handler.stop)), ..held };
                responder.answer(handler(params, Next { held, cancel }).await.as_answer());
                drop(at_handler);
            }),
            #[cfg(feature = "v2")]
            Self::Turn(at_handler) => spawn(closed, async move {
                let stop = Some(Arc::clone(&at_handler.stop));
                let prompt = Prompt::new(&held.ways, at_handler, &held.lane, params.clone(), responder);
                let held = Held { stop, prompt: Some(prompt.undecided()), ..held };
                prompt.handled(async { handler(params, Next { held, cancel }).await }).await;
            }),
            #[cfg(feature = "v2")]
            Self::Mode => spawn(closed, async move {
                let (heard, ways) = (Arc::<OnceLock<Json>>::default(), Arc::clone(&held.ways));
                let came = held.params.clone();
                let held = Held { heard: Some(Arc::clone(&heard)), ..held };
                let reply = handler(params, Next { held, cancel }).await;
                let reply = ways.modes().answered(came.as_ref(), heard.get(), reply);
                responder.answer(reply.as_answer());
            }),
        }
    }
}

/// Runs the work on a message until the chain is closed.
fn spawn(closed: CancellationToken, work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(async move {
        tokio::select! {
            biased;
            () = work => {}
            () = closed.cancelled() => {}
        }
    });
}
