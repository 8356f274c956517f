//! Output that never stops the program: its reader may be slow, stuck or gone.

mod written;

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt, Stderr, Stdout, stderr, stdout};
use tokio::time::timeout;

pub(crate) use self::written::Written;

/// The time for the last lines of a run that was given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// The output that is still to be written. A slow write can be dropped and taken up again.
pub(crate) struct Output {
    stdout: Stream<Stdout>,
    /// The output beside the answer. Nothing fails when its reader has gone away.
    stderr: Stream<Stderr>,
}

struct Stream<W> {
    writer: W,
    waiting: Vec<u8>,
    /// Bytes that were handed over, and may not be written yet.
    is_dirty: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { stdout: Stream::of(stdout()), stderr: Stream::of(stderr()) }
    }

    /// Takes bytes for stdout.
    pub(crate) fn add(&mut self, bytes: &mut Vec<u8>) {
        self.stdout.waiting.append(bytes);
    }

    /// Takes bytes for stderr.
    pub(crate) fn add_aside(&mut self, bytes: &mut Vec<u8>) {
        self.stderr.waiting.append(bytes);
    }

    /// Returns the number of bytes that wait.
    pub(crate) const fn len(&self) -> usize {
        self.stdout.waiting.len() + self.stderr.waiting.len()
    }

    pub(crate) const fn is_written(&self) -> bool {
        self.stdout.is_written() && self.stderr.is_written()
    }

    /// Waits until all of it is written. Dropping the future loses nothing.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush().await?;
        if self.stderr.flush().await.is_err() {
            self.stderr.forget();
        }
        Ok(())
    }

    /// Writes the part that a reader takes at once, and forgets the rest. It serves a run that
    /// nobody waits for any more. Returns true if all of it was read.
    pub(crate) async fn flush_if_read(&mut self) -> bool {
        let is_read = matches!(timeout(PATIENCE, self.flush()).await, Ok(Ok(())));
        if !is_read {
            self.stdout.forget();
            self.stderr.forget();
        }
        is_read
    }
}

impl<W> Stream<W> {
    const fn of(writer: W) -> Self {
        Self { writer, waiting: Vec::new(), is_dirty: false }
    }

    const fn is_written(&self) -> bool {
        self.waiting.is_empty() && !self.is_dirty
    }

    fn forget(&mut self) {
        self.waiting.clear();
        self.is_dirty = false;
    }
}

impl<W: AsyncWrite + Unpin> Stream<W> {
    async fn flush(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.is_dirty = true;
            let count = self.writer.write(&self.waiting).await?;
            self.waiting.drain(..count);
        }
        if self.is_dirty {
            self.writer.flush().await?;
            self.is_dirty = false;
        }
        Ok(())
    }
}
