//! The work that a connection does before other tasks run.

use std::future::poll_fn;
use std::task::Poll;

/// The lines and reads that a connection deals with at a time.
const SHARE: usize = 256;
/// So many bytes of input count as one more of them.
const BYTES: usize = 4096;

/// The rest of a connection's share of its thread.
///
/// Input that is always ready never makes the driver wait, and not every stream uses tokio's own
/// budget.
#[derive(Debug)]
pub(crate) struct Share {
    left: usize,
}

impl Share {
    pub(crate) const fn new() -> Self {
        Self { left: SHARE }
    }

    /// Counts a line.
    pub(crate) const fn line(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Counts bytes that have been read.
    pub(crate) const fn read(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(1 + bytes / BYTES);
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Lets every ready task run, and starts a new share.
    pub(crate) async fn renew(&mut self) {
        let mut has_waited = false;
        // Not tokio's `yield_now`: that one looks for I/O first, which costs a system call each
        // time.
        poll_fn(|cx| {
            if std::mem::replace(&mut has_waited, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.left = SHARE;
    }
}
