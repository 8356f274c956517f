//! The tasks that use a socket.

use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use futures_util::task::AtomicWaker;

/// The reader and the writer of a socket, which may be two tasks. The socket itself wakes only one
/// task for each direction, and both ends use both directions: a reader sends pings, and a writer
/// reads the other side's close frame. So the socket is polled with a waker that wakes both.
#[derive(Default)]
pub(super) struct Wakers {
    reader: AtomicWaker,
    writer: AtomicWaker,
}

/// The end of a socket that a task uses.
#[derive(Clone, Copy)]
pub(super) enum End {
    Reader,
    Writer,
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.reader.wake();
        self.writer.wake();
    }
}

/// A [`Wakers`] and the waker for the socket.
pub(super) struct Shared {
    wakers: Arc<Wakers>,
    waker: Waker,
}

impl Shared {
    pub(super) fn new() -> Self {
        let wakers = Arc::<Wakers>::default();
        Self { waker: Waker::from(Arc::clone(&wakers)), wakers }
    }

    /// Returns the context for the socket. The task of `cx` is woken with it.
    pub(super) fn context(&self, end: End, cx: &Context<'_>) -> Context<'_> {
        match end {
            End::Reader => self.wakers.reader.register(cx.waker()),
            End::Writer => self.wakers.writer.register(cx.waker()),
        }
        Context::from_waker(&self.waker)
    }
}
