//! The stderr of a child process: its last bytes, and its lines for those who want them.

use std::collections::VecDeque;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use memchr::memchr;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

/// The size of the pieces in which a longer line is handed over, in bytes.
const LONGEST_LINE: usize = 8 * 1024;

/// The most bytes that a pipe holds, unless an administrator has raised the limit.
#[cfg(unix)]
const LARGEST_PIPE: usize = 1024 * 1024;

/// The callback that gets each line.
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

    /// The text, without half a character at its front.
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

/// A stream that is read to its end, so that the process never blocks on it.
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

    /// Reads to the end. The future may be dropped and made again.
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

    /// Takes the bytes that are there already.
    ///
    /// For a process that has exited these are all its bytes, even if another process keeps the
    /// stream open.
    pub(crate) fn drain_now(&mut self) {
        #[cfg(unix)]
        {
            let mut chunk = [0; 8 * 1024];
            // The limit is needed because other processes may write on and on.
            for _ in 0..LARGEST_PIPE.div_ceil(chunk.len()) {
                // The pipe itself is asked: the runtime may not know yet that bytes are there.
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
            // A callback that panics is not called again. The stream is read on.
            if !survives(|| on_line(line.trim_end_matches('\r'))) {
                survives(|| self.on_line = None);
            }
        }
        self.line.clear();
    }
}

/// Runs a function of the user. Returns false if it panics.
fn survives(run: impl FnOnce()) -> bool {
    let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return true };
    // The payload of the panic may panic when it is dropped. The payload of that panic is leaked.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(another);
    }
    false
}
