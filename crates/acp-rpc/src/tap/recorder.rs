//! A tap that writes to a file.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::SystemTime;

use super::{Redaction, Tap, Traffic, entry};

const BUDGET: usize = 16 * 1024 * 1024;
/// The largest buffer that is kept after its content has been written.
const IDLE_CAPACITY: usize = 256 * 1024;

/// Writes the lines of connections to a file, one JSON object a line, for a
/// [`Recording`](super::Recording) to read.
///
/// Secrets are [redacted](Redaction) unless [`unredacted`](Self::unredacted) is called. A thread of
/// its own writes, so connections never wait for the file. If more than the
/// [`budget`](Self::budget) waits for a slow file, lines are dropped, and a record says where and
/// how many.
///
/// The file is complete after [`finish`](Self::finish), which waits for the thread. Otherwise it is
/// complete when the recorder, its taps and all [`Options`](crate::Options) and connections with
/// them are gone and the thread has ended.
pub struct Recorder {
    end: Arc<WritingEnd>,
    thread: JoinHandle<io::Result<()>>,
    redaction: Option<Redaction>,
}

impl Recorder {
    /// Records to a file, which is created or truncated. On unix only its owner may read a new
    /// file: it holds prompts and files.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened, or the thread cannot be started.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::new(options.open(path)?)
    }

    /// Records to any writer. It gets whole records, many in one write if many wait, and is flushed
    /// after each write.
    ///
    /// # Errors
    ///
    /// Fails if the thread cannot be started.
    pub fn new(to: impl Write + Send + 'static) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let ours = Arc::clone(&queue);
        let thread = thread::Builder::new().name("acp-rpc recorder".into()).spawn(move || queue.drain(to))?;
        Ok(Self { end: Arc::new(WritingEnd(ours)), thread, redaction: Some(Redaction::default()) })
    }

    /// Hides what `redaction` hides, in taps that are made after this call.
    #[must_use]
    pub fn redaction(mut self, redaction: Redaction) -> Self {
        self.redaction = Some(redaction);
        self
    }

    /// Hides nothing, in taps that are made after this call: the file will hold keys, tokens and
    /// everything else that is sent.
    #[must_use]
    pub fn unredacted(mut self) -> Self {
        self.redaction = None;
        self
    }

    /// Sets the most bytes that may wait to be written. One record more may wait, however large.
    /// Default 16 MiB.
    #[must_use]
    pub fn budget(self, bytes: usize) -> Self {
        self.end.0.lock().budget = bytes;
        self
    }

    /// Returns a tap for connections. Several connections may share one recording.
    #[must_use]
    pub fn tap(&self) -> Tap {
        let end = Arc::clone(&self.end);
        let record = move |traffic: Traffic<'_>| end.0.push(&traffic);
        match self.redaction.clone() {
            Some(redaction) => Tap::redacted(redaction, record),
            None => Tap::raw(record),
        }
    }

    /// Returns how many lines were dropped so far.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.end.0.lock().dropped
    }

    /// Ends the recording and waits until everything is written, which blocks the thread. Returns
    /// how many lines were dropped.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing. Everything after it is missing in the file.
    pub fn finish(self) -> io::Result<u64> {
        let Self { end, thread, .. } = self;
        end.0.close();
        thread.join().map_err(|_| io::Error::other("the thread that writes the recording panicked"))??;
        Ok(end.0.lock().dropped)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("redaction", &self.redaction).finish_non_exhaustive()
    }
}

/// The writing end, shared by all taps. When the last one is dropped, the thread ends.
struct WritingEnd(Arc<Queue>);

impl Drop for WritingEnd {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Records on their way to the thread.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<u8>,
    /// The bytes that the thread is writing.
    writing: usize,
    budget: usize,
    dropped: u64,
    /// The dropped lines that the recording does not mention yet.
    untold: u64,
    closed: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { waiting: Vec::new(), writing: 0, budget: BUDGET, dropped: 0, untold: 0, closed: false }
    }
}

impl State {
    fn tell_dropped(&mut self) {
        let untold = std::mem::take(&mut self.untold);
        if untold > 0 {
            entry::write_dropped(&mut self.waiting, SystemTime::now(), untold);
        }
    }
}

impl Queue {
    /// Takes a record. It holds the lock only for a copy.
    fn push(&self, traffic: &Traffic<'_>) {
        let mut record = Vec::new();
        entry::write_line(&mut record, traffic);
        let mut state = self.lock();
        if state.closed || (state.waiting.len() + state.writing >= state.budget.max(1)) {
            state.dropped += 1;
            state.untold += u64::from(!state.closed);
            return;
        }
        state.tell_dropped();
        state.waiting.extend_from_slice(&record);
        drop(state);
        self.changed.notify_one();
    }

    /// Writes until the end.
    fn drain(&self, mut to: impl Write) -> io::Result<()> {
        // Runs also if writing fails or panics: later records are counted, not kept.
        let _end = Closing(self);
        let mut batch = Vec::new();
        while self.take(&mut batch) {
            to.write_all(&batch)?;
            to.flush()?;
        }
        Ok(())
    }

    /// Swaps the written buffer for the waiting one. Returns `false` if nothing will come any more.
    fn take(&self, batch: &mut Vec<u8>) -> bool {
        batch.clear();
        batch.shrink_to(IDLE_CAPACITY);
        let mut state = self.lock();
        state.writing = 0;
        let idle = |state: &mut State| state.waiting.is_empty() && state.untold == 0 && !state.closed;
        let mut state = self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        state.tell_dropped();
        std::mem::swap(&mut state.waiting, batch);
        state.writing = batch.len();
        !batch.is_empty()
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code under this lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.waiting = Vec::new();
    }
}
