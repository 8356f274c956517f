//! Windows: a pipe that a thread reads, because the runtime cannot wait for such a pipe.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;
use tokio::time::timeout;

/// The most bytes of one read.
const CHUNK: usize = 16 * 1024;
/// The number of bytes that wait for the reader before the thread pauses.
const CAPACITY: usize = 64 * 1024;
/// The number of bytes that are taken in addition after the exit of the process: more than its pipe
/// holds.
const REST: usize = 1024 * 1024;
/// The time for which the pipe of an exited process is read, if a process outside its job keeps it
/// open.
const LAST_OUTPUT: Duration = Duration::from_millis(250);

/// The reading end of a pipe.
pub(crate) struct Pipe(Arc<Shared>);

/// Waits for the bytes that an exited process has left in its pipe.
pub(crate) struct Rest(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Fires when the thread may read on, or must end.
    has_room: Condvar,
    /// Fires when the thread has come to the end, or pauses.
    rests: Notify,
}

struct State {
    bytes: VecDeque<u8>,
    capacity: usize,
    has_ended: bool,
    failure: Option<io::Error>,
    is_dropped: bool,
    waiting: Option<Waker>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            bytes: VecDeque::new(),
            capacity: CAPACITY,
            has_ended: false,
            failure: None,
            is_dropped: false,
            waiting: None,
        }
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.bytes.len() >= self.capacity
    }

    /// Moves bytes that have been read into the buffer, and returns their number.
    fn take(&mut self, buffer: &mut [u8]) -> usize {
        // Reading a queue in memory cannot fail.
        self.bytes.read(buffer).unwrap_or_default()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads until the end of the pipe, or until the reader is dropped.
    fn read(&self, mut pipe: impl Read) {
        let mut chunk = vec![0; CHUNK];
        while self.waits_for_room() {
            let (failure, length) = match pipe.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => (Some(error), 0),
                Ok(length) => (None, length),
            };
            let mut state = self.lock();
            state.bytes.extend(chunk.get(..length).unwrap_or_default());
            state.has_ended = length == 0;
            state.failure = failure;
            let waiting = state.waiting.take();
            let has_ended = state.has_ended;
            drop(state);
            if let Some(waker) = waiting {
                waker.wake();
            }
            if has_ended {
                return self.rests.notify_waiters();
            }
        }
    }

    /// Waits until there is room. Returns false if the reader was dropped.
    fn waits_for_room(&self) -> bool {
        let mut state = self.lock();
        while state.is_full() && !state.is_dropped {
            self.rests.notify_waiters();
            state = self.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_dropped
    }
}

impl Pipe {
    /// Starts the thread. It ends with the pipe, or with the first bytes after the reader was
    /// dropped.
    pub(crate) fn new(pipe: io::PipeReader) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().name("acp-process output".into()).spawn(move || of_thread.read(pipe))?;
        Ok(Self(shared))
    }

    pub(crate) fn rest(&self) -> Rest {
        Rest(Arc::clone(&self.0))
    }

    /// Moves bytes that have been read into the buffer, without waiting.
    pub(crate) fn read_now(&self, buffer: &mut [u8]) -> usize {
        let length = self.0.lock().take(buffer);
        self.0.has_room.notify_one();
        length
    }
}

impl Rest {
    /// Waits until all of them have been read.
    pub(crate) async fn arrives(&self) {
        let arrived = async {
            loop {
                let resting = self.0.rests.notified();
                let mut resting = std::pin::pin!(resting);
                resting.as_mut().enable();
                {
                    let mut state = self.0.lock();
                    state.capacity = CAPACITY + REST;
                    if state.has_ended || state.is_full() || state.is_dropped {
                        return;
                    }
                }
                self.0.has_room.notify_one();
                resting.await;
            }
        };
        let _ = timeout(LAST_OUTPUT, arrived).await;
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.lock();
        if state.bytes.is_empty() {
            if let Some(error) = state.failure.take() {
                return Poll::Ready(Err(error));
            }
            if state.has_ended {
                return Poll::Ready(Ok(()));
            }
            state.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let length = state.take(buffer.initialize_unfilled());
        drop(state);
        buffer.advance(length);
        self.0.has_room.notify_one();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.0.lock().is_dropped = true;
        self.0.has_room.notify_one();
        self.0.rests.notify_waiters();
    }
}
