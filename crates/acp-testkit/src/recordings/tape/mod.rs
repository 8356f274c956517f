//! A recorder of bytes that pass through a program.

mod file;
mod heard;
mod listener;
mod reader;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use acp_rpc::tap::{Direction, Redaction};

use self::file::Sink;
use self::heard::Queue;
use self::listener::Listener;

pub use self::file::RecordFile;
pub use self::reader::TapedReader;

/// The settings of a [`Tape`].
pub struct TapeOptions {
    pub(super) redaction: Option<Redaction>,
    pub(super) budget: usize,
    pub(super) max_line: usize,
    pub(super) on_fault: Box<dyn FnMut(&io::Error) + Send>,
}

impl Default for TapeOptions {
    fn default() -> Self {
        Self {
            redaction: Some(Redaction::default()),
            budget: 16 * 1024 * 1024,
            max_line: 64 * 1024 * 1024,
            on_fault: Box::new(|_| {}),
        }
    }
}

impl TapeOptions {
    /// Hides what `redaction` hides. `None` hides nothing. Default [`Redaction::default`].
    #[must_use]
    pub fn redaction(mut self, redaction: Option<Redaction>) -> Self {
        self.redaction = redaction;
        self
    }

    /// Sets the most bytes that may wait to be recorded. One piece more may wait, however large.
    /// Default 16 MiB.
    #[must_use]
    pub const fn budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Sets the longest line that is kept until it is whole. A longer one is recorded as
    /// `oversized`. Default 64 MiB.
    #[must_use]
    pub const fn max_line(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    /// Calls a function when the file cannot be written for the first time. It runs on the thread
    /// of the tape.
    #[must_use]
    pub fn on_fault(mut self, fault: impl FnMut(&io::Error) + Send + 'static) -> Self {
        self.on_fault = Box::new(fault);
        self
    }
}

impl fmt::Debug for TapeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TapeOptions")
            .field("redaction", &self.redaction)
            .field("budget", &self.budget)
            .field("max_line", &self.max_line)
            .finish_non_exhaustive()
    }
}

/// Records bytes that pass between two programs. It needs no connection of this project, and
/// changes nothing.
///
/// The [`Head`]s copy the bytes into a queue. A thread of the tape's own finds the lines, redacts
/// them and writes them. So the bytes never wait for the file. If more than the budget waits, or
/// the file cannot be written, lines are lost: the recording goes on when it can, with a record of
/// how many lines are missing. Blank lines are not recorded.
#[derive(Debug)]
pub struct Tape {
    queue: Arc<Queue>,
}

impl Tape {
    /// Starts a recording.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn start(file: RecordFile, options: TapeOptions) -> io::Result<Self> {
        Self::start_on(Sink::File(file), options)
    }

    /// Starts a recording into any writer, which gets whole records on the thread of the tape. A
    /// record whose write fails counts as lost, even if the writer has taken a part of it.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn start_into(writer: impl io::Write + Send + 'static, options: TapeOptions) -> io::Result<Self> {
        Self::start_on(Sink::Writer(Box::new(writer)), options)
    }

    fn start_on(file: Sink, options: TapeOptions) -> io::Result<Self> {
        let queue = Arc::new(Queue::new(options.budget));
        let listener = Listener::new(Arc::clone(&queue), file, options);
        thread::Builder::new().name("acp tape".into()).spawn(move || listener.run())?;
        Ok(Self { queue })
    }

    /// Returns a head for the bytes of one direction. All heads of a direction hear one stream.
    #[must_use]
    pub fn head(&self, direction: Direction) -> Head {
        Head { queue: Arc::clone(&self.queue), direction }
    }

    /// Ends the recording, with the reason for people, and waits until it is written, which blocks
    /// the thread. Returns the number of lines that were lost, or `None` if the file was stuck for
    /// so long.
    #[must_use]
    pub fn end(self, reason: &str, patience: Duration) -> Option<u64> {
        self.queue.close(reason);
        self.queue.wait_until_done(patience)
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.queue.close("");
    }
}

/// Hears the bytes of one direction.
#[derive(Clone, Debug)]
pub struct Head {
    queue: Arc<Queue>,
    direction: Direction,
}

impl Head {
    /// Takes the next bytes of the stream, in pieces of any size. It copies them, and never waits
    /// for the file.
    pub fn hear(&self, bytes: &[u8]) {
        self.queue.push(self.direction, bytes, SystemTime::now());
    }

    /// Takes note that the stream has ended, maybe within a line.
    pub fn end(&self) {
        self.queue.push(self.direction, b"\n", SystemTime::now());
    }
}
