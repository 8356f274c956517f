//! The connection of a shim: lines of MCP, both ways.

use std::sync::{Arc, OnceLock};

use acp_rpc::lines::{Head, LineOptions, Lines, connect};
use acp_rpc::{BoxFuture, CloseReason, Error, Fault, Noise, Transport};

use super::conversation::{Conversation, refuse};
use super::offers::Offer;
use super::out::Out;
use super::shared::Shared;

/// Serves a shim until it goes, its session is over, or the chain has ended.
pub(super) async fn serve(transport: Transport, shared: &Arc<Shared>, offer: &Arc<Offer>) {
    let conversation = Conversation::new(shared, offer);
    let out = Arc::<OnceLock<Out>>::default();
    let client =
        Client { shared: Arc::clone(shared), conversation: Arc::clone(&conversation), out: Arc::clone(&out) };
    let bounds = &shared.bounds;
    let options = LineOptions::default()
        .max_line(bounds.max_line)
        .outgoing_budget(bounds.budget)
        .noise(Noise::Skip)
        .drain(bounds.drain);
    let (outlet, mut driver) = connect(transport, client, options);
    // Before the driver reads the first line.
    let way = out.get_or_init(|| Out::lines(outlet.clone(), &shared.full));
    conversation.set_aside(Some(way.clone()));
    let is_over = tokio::select! {
        biased;
        _ = &mut driver => false,
        () = offer.gone.cancelled() => true,
    };
    conversation.end();
    if is_over {
        outlet.close();
        driver.await;
    }
}

/// The client behind a shim.
struct Client {
    shared: Arc<Shared>,
    conversation: Arc<Conversation>,
    out: Arc<OnceLock<Out>>,
}

impl Lines for Client {
    fn line(&self, line: &str) {
        if let Some(out) = self.out.get() {
            self.conversation.take(line, out);
        }
    }

    fn skipped(&self, head: &Head, fault: Fault<'_>) {
        if let (Some(out), Some(id), true) = (self.out.get(), &head.id, head.is_call) {
            refuse(out, id, &Error::invalid_request(fault.to_string()));
        }
    }

    /// A client that does not read its answers is not read, either.
    fn pause(&self) -> Option<BoxFuture> {
        self.out.get()?.pause().or_else(|| self.shared.pause())
    }

    /// The client may have closed its side and still wait for answers.
    fn ended(&self, _: &CloseReason) -> BoxFuture {
        let (conversation, drain) = (Arc::clone(&self.conversation), self.shared.bounds.drain);
        Box::pin(async move {
            let _ = tokio::time::timeout(drain, conversation.idle()).await;
            conversation.end();
        })
    }
}
