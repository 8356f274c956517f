//! The way out of a connection of lines.

use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::core::error::CloseReason;
use crate::wire::writer::Writer;

/// A cheap handle on the way out of a connection. It does not keep the connection open.
#[derive(Clone)]
pub struct Outlet {
    pub(super) way: Arc<Way>,
}

pub(super) struct Way {
    pub(super) writer: Writer,
    /// Fires when this side wants to end the connection.
    pub(super) closing: CancellationToken,
    /// Fires when nothing more can leave.
    pub(super) finished: CancellationToken,
    /// Fires when the connection has ended.
    pub(super) closed: CancellationToken,
    pub(super) reason: std::sync::OnceLock<CloseReason>,
}

impl Outlet {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            way: Arc::new(Way {
                writer: Writer::new(budget.max(1)),
                closing: CancellationToken::new(),
                finished: CancellationToken::new(),
                closed: CancellationToken::new(),
                reason: std::sync::OnceLock::new(),
            }),
        }
    }

    /// Adds a line, and a newline behind it. A newline within it becomes a space. It never waits,
    /// and goes past the budget: look at [`has_room`](Self::has_room) before more is read.
    ///
    /// Returns false if the connection has ended. Nothing was added then.
    pub fn push(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let pushed = self.way.writer.push(|buffer| {
            write(buffer);
            Ok(())
        });
        pushed.is_ok()
    }

    /// Tells whether fewer bytes wait than the budget allows. A connection that has ended has room.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.way.writer.has_room() || self.way.closed.is_cancelled()
    }

    /// Returns the number of bytes that wait to be written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.way.writer.held()
    }

    /// Waits until there is room, or the connection has ended.
    pub async fn room(&self) {
        if !self.has_room() {
            // A closed writer has nobody left who could wait for it.
            let _ = self.way.writer.permit().await;
        }
    }

    /// Ends the connection and returns at once. Reading stops. Lines that were added still leave.
    pub fn close(&self) {
        self.way.closing.cancel();
    }

    /// Waits until nothing more can leave, which may be before the connection has ended. Lines that
    /// are added from then on are refused.
    pub async fn finished(&self) {
        self.way.finished.cancelled().await;
    }

    /// Waits until the connection has ended, and returns the reason.
    pub async fn closed(&self) -> CloseReason {
        self.way.closed.cancelled().await;
        self.way.reason.get().cloned().unwrap_or(CloseReason::Local)
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").field("closed", &self.way.closed.is_cancelled()).finish_non_exhaustive()
    }
}
