//! Work of a session that goes on beside its turns.

use std::fmt;

use acp_types::v1::ext::unique_id;
use acp_types::v1::{
    Content, ContentBlock, SessionUpdate, ToolCall, ToolCallId, ToolCallStatus, ToolCallUpdate,
};

use crate::error::Result;
use crate::updates::cancellable::{Cancellable, Offered};
use crate::updates::session_updates::SessionUpdates;
use crate::wire::entity::Entity;

impl SessionUpdates {
    /// Reports work that goes on beside the turns, under this name: an index that is being built, a
    /// server that was started. In version 2 of the protocol clients show it as a tool call, and
    /// know of it while the session is idle. In version 1 nothing is sent.
    ///
    /// `session/cancel` does not end it, and neither does the end of a turn. Closing the session
    /// does: [`closed`](Self::closed) tells the task that does the work.
    ///
    /// ```
    /// # use acp_agent::{Result, SessionUpdates};
    /// # async fn build_index() -> Result<()> { Ok(()) }
    /// async fn index(updates: SessionUpdates) -> Result<()> {
    ///     let work = updates.background("Index").await?;
    ///     tokio::select! {
    ///         built = build_index() => built?,
    ///         () = updates.closed() => return Ok(()),
    ///     }
    ///     work.complete().await
    /// }
    /// ```
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn background(&self, name: impl Into<String>) -> Result<Background> {
        let id = ToolCallId::from(unique_id("work"));
        let mut work = Background { updates: self.clone(), id, offered: Offered::default(), open: false };
        if self.wire().shows_background() {
            let call = ToolCall::new(work.id.clone(), name).status(ToolCallStatus::InProgress);
            self.update(call).await?;
            work.open = true;
            work.report(true);
        }
        Ok(work)
    }
}

/// Work of a session that goes on beside its turns, until it is completed or failed. Dropped before
/// that, it is reported as failed.
#[must_use = "the drop of background work reports it as failed"]
pub struct Background {
    updates: SessionUpdates,
    id: ToolCallId,
    offered: Offered,
    /// Set while the client shows it.
    open: bool,
}

impl Background {
    /// Returns the id of the tool call by which a client knows the work. In version 1 no client
    /// does.
    #[must_use]
    pub const fn id(&self) -> &ToolCallId {
        &self.id
    }

    /// Lets the client cancel this work.
    ///
    /// # Errors
    /// The errors of [`SessionUpdates::update`].
    pub async fn cancellable(&self) -> Result<Cancellable> {
        let (updates, wire) = (self.updates.clone(), self.updates.wire());
        let send = |update| self.updates.update(update);
        let tell = move |update: &SessionUpdate| updates.update_now(update);
        self.offered.offer(wire, Entity::ToolCall(self.id.clone()), send, tell).await
    }

    /// Reports the work as completed.
    ///
    /// # Errors
    /// The errors of [`SessionUpdates::update`].
    pub async fn complete(self) -> Result<()> {
        let update = ToolCallUpdate::new(&self.id).status(ToolCallStatus::Completed);
        self.finish(update).await
    }

    /// Reports the work as failed, and why.
    ///
    /// # Errors
    /// The errors of [`SessionUpdates::update`].
    pub async fn fail(self, reason: impl Into<String>) -> Result<()> {
        let reason = Content::new(ContentBlock::text(reason));
        let update = ToolCallUpdate::new(&self.id).status(ToolCallStatus::Failed).content([reason.into()]);
        self.finish(update).await
    }

    async fn finish(mut self, update: ToolCallUpdate) -> Result<()> {
        if self.open {
            self.offered.withdraw();
            self.updates.update(update).await?;
            self.open = false;
            self.report(false);
        }
        Ok(())
    }

    fn report(&self, runs: bool) {
        let (updates, id) = (&self.updates, &self.id);
        updates.wire().background(updates.client().peer(), updates.session_id(), updates.gate(), id, runs);
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if self.open {
            let status = self.updates.client().wire().unfinished(self.offered.is_cancelled());
            self.offered.withdraw();
            self.updates.update_now(&ToolCallUpdate::new(&self.id).status(status).into());
            self.report(false);
        }
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Background").field("id", &self.id).finish_non_exhaustive()
    }
}
