//! The stderr of a child process: its last bytes, and its lines for those who want them.

use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memchr;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

/// A longer line is handed over in pieces of this size.
const LONGEST_LINE: usize = 8 * 1024;

/// What a pipe holds at most, unless the system's administrator lets it hold more.
#[cfg(unix)]
const LARGEST_PIPE: usize = 1024 * 1024;

/// Who is given each line.
pub(crate) type OnLine = Box<dyn FnMut(&str) + Send>;

/// The last bytes of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Tail {
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: Arc::default(), limit }
    }

    /// The text; a character cut in two at the front is left out.
    pub(crate) fn text(&self) -> String {
        let mut bytes = self.lock();
        let bytes: &[u8] = bytes.make_contiguous();
        let whole = bytes.iter().position(|byte| !(0x80..0xC0).contains(byte)).unwrap_or(0);
        String::from_utf8_lossy(bytes.get(whole..).unwrap_or_default()).into_owned()
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = self.lock();
        bytes.extend(chunk);
        let excess = bytes.len().saturating_sub(self.limit);
        bytes.drain(..excess);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream, read to its end so that the process never blocks on it.
pub(crate) struct Stderr {
    stream: ChildStderr,
    tail: Tail,
    on_line: Option<OnLine>,
    line: Vec<u8>,
    ended: bool,
}

impl Stderr {
    pub(crate) fn new(stream: ChildStderr, tail: Tail, on_line: Option<OnLine>) -> Self {
        Self { stream, tail, on_line, line: Vec::new(), ended: false }
    }

    pub(crate) fn tail(&self) -> String {
        self.tail.text()
    }

    /// Reads to the end. It may be dropped and called again.
    pub(crate) async fn drain(&mut self) {
        let mut chunk = [0; 2048];
        while !self.ended {
            match self.stream.read(&mut chunk).await {
                Ok(length @ 1..) => self.take(chunk.get(..length).unwrap_or_default()),
                Ok(0) | Err(_) => self.ended = true,
            }
        }
        self.hand_over();
    }

    /// Takes what is there already. That is all that a process has said which has exited, whoever else may keep the
    /// stream open.
    pub(crate) fn drain_now(&mut self) {
        #[cfg(unix)]
        {
            let mut chunk = [0; 8 * 1024];
            // No more than a pipe can hold: others may write on and on.
            for _ in 0..LARGEST_PIPE.div_ceil(chunk.len()) {
                // The pipe itself is asked: what the runtime knows of it may be older.
                let read = rustix::io::retry_on_intr(|| rustix::io::read(&self.stream, &mut chunk));
                let Ok(length @ 1..) = read else { break };
                self.take(chunk.get(..length).unwrap_or_default());
            }
        }
        self.hand_over();
    }

    fn take(&mut self, mut chunk: &[u8]) {
        self.tail.push(chunk);
        if self.on_line.is_none() {
            return;
        }
        while let Some(end) = memchr(b'\n', chunk) {
            let (line, rest) = chunk.split_at(end);
            self.line.extend_from_slice(line);
            self.hand_over();
            chunk = rest.get(1..).unwrap_or_default();
        }
        self.line.extend_from_slice(chunk);
        if self.line.len() >= LONGEST_LINE {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if self.line.is_empty() {
            return;
        }
        if let Some(on_line) = &mut self.on_line {
            let line = String::from_utf8_lossy(&self.line);
            // A listener that panics is not asked again; the stream is read on.
            if !survives(|| on_line(line.trim_end_matches('\r'))) {
                survives(|| self.on_line = None);
            }
        }
        self.line.clear();
    }
}

/// Runs a function of the caller's; false if it panics.
fn survives(run: impl FnOnce()) -> bool {
    let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return true };
    // What was thrown may panic in its turn when it is dropped, and so on: that one is left where it is.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(another);
    }
    false
}
