//! Work of an agent that its client can cancel by itself.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use acp_rpc::CancellationToken;
use acp_types::v1::SessionUpdate;

use crate::error::Result;
use crate::wire::entity::Entity;
use crate::wire::session::SessionWire;

/// An offer to the client: it can cancel one tool call, and the turn goes on.
///
/// [`RunningTool::cancellable`](crate::RunningTool::cancellable) and
/// [`Background::cancellable`](crate::Background::cancellable) make one. The client sees the offer
/// while it lives. It ends with its last clone, and when the tool call is completed or failed.
///
/// It exists in version 2 of the protocol. In version 1 a client can only cancel the whole turn,
/// and this never fires.
///
/// ```
/// # use acp_agent::{Result, Turn, types::ToolCall};
/// # async fn build() -> Result<()> { Ok(()) }
/// # async fn work(turn: Turn) -> Result<()> {
/// let tool = turn.start_tool(ToolCall::new("build-1", "Build")).await?;
/// let cancel = tool.cancellable().await?;
/// tokio::select! {
///     built = build() => built?,
///     () = cancel.cancelled() => return tool.fail("The user has stopped the build.").await,
/// }
/// tool.complete().await
/// # }
/// ```
#[derive(Clone)]
#[must_use = "the offer ends when this is dropped"]
pub struct Cancellable {
    offer: Arc<Offer>,
}

impl Cancellable {
    /// Waits until the client cancels the work. The cancellation of the turn does not count.
    pub async fn cancelled(&self) {
        self.offer.token.cancelled().await;
    }

    /// Returns whether the client has cancelled the work.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.offer.token.is_cancelled()
    }

    /// Returns the token that fires when the client cancels the work, for other libraries.
    #[must_use]
    pub fn token(&self) -> CancellationToken {
        self.offer.token.clone()
    }
}

impl fmt::Debug for Cancellable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellable").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

struct Offer {
    token: CancellationToken,
    /// Takes the offer back, if it was made.
    withdraw: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Offer {
    fn withdraw(&self) {
        let withdraw = self.withdraw.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(withdraw) = withdraw {
            withdraw();
        }
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// The offer of one piece of work, if there is one.
#[derive(Default)]
pub(crate) struct Offered {
    offer: Mutex<Weak<Offer>>,
}

impl Offered {
    /// Makes the offer, unless it is made already. `send` sends the update about it, and `tell`
    /// sends one without waiting.
    pub(crate) async fn offer<F: Future<Output = Result<()>>>(
        &self,
        wire: &SessionWire,
        entity: Entity,
        send: impl FnOnce(SessionUpdate) -> F,
        tell: impl Fn(&SessionUpdate) + Send + 'static,
    ) -> Result<Cancellable> {
        let (offer, update) = {
            let mut known = self.offer.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(offer) = known.upgrade() {
                return Ok(Cancellable { offer });
            }
            let token = CancellationToken::new();
            let update = wire.offer_cancel(&entity, &token);
            let wire = wire.clone();
            let withdraw = move || {
                if let Some(update) = wire.withdraw_cancel(&entity) {
                    tell(&update);
                }
            };
            let withdraw: Option<Box<dyn FnOnce() + Send>> =
                if update.is_some() { Some(Box::new(withdraw)) } else { None };
            let offer = Arc::new(Offer { token, withdraw: Mutex::new(withdraw) });
            *known = Arc::downgrade(&offer);
            (offer, update)
        };
        if let Some(update) = update {
            send(update).await?;
        }
        Ok(Cancellable { offer })
    }

    /// Takes the offer back, because the work has ended.
    pub(crate) fn withdraw(&self) {
        if let Some(offer) = self.now() {
            offer.withdraw();
        }
    }

    /// Returns whether the client has cancelled the work, as far as somebody still knows.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.now().is_some_and(|offer| offer.token.is_cancelled())
    }

    fn now(&self) -> Option<Arc<Offer>> {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }
}
