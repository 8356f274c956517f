//! How much a connection does before it lets other tasks run.

use std::future::poll_fn;
use std::task::Poll;

/// How many lines and reads a connection deals with at a time.
const SHARE: usize = 256;
/// So many bytes that were read count as one more of them.
const BYTES: usize = 4096;

/// What is left of a connection's share of its thread.
///
/// Input that is always ready never makes the driver wait, and not every stream counts on tokio's own budget.
#[derive(Debug)]
pub(crate) struct Share {
    left: usize,
}

impl Share {
    pub(crate) const fn new() -> Self {
        Self { left: SHARE }
    }

    /// A line is dealt with.
    pub(crate) const fn line(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// So many bytes have been read.
    pub(crate) const fn read(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(1 + bytes / BYTES);
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Lets every task run that is ready, and begins anew.
    pub(crate) async fn renew(&mut self) {
        let mut has_waited = false;
        // Not tokio's `yield_now`: that one looks for I/O first, which costs a system call each time.
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
