//! Stdout that never stops the program: who reads it may be slow, stuck or gone.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWriteExt, Stdout, stdout};
use tokio::time::timeout;

/// How long the last lines of a run that was given up may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is still to be written. A write that takes its time can be dropped and gone on with.
pub(crate) struct Output {
    stdout: Stdout,
    waiting: Vec<u8>,
    /// Handed over, and perhaps not written yet.
    is_dirty: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { stdout: stdout(), waiting: Vec::new(), is_dirty: false }
    }

    pub(crate) fn add(&mut self, bytes: &mut Vec<u8>) {
        self.waiting.append(bytes);
    }

    /// How many bytes wait.
    pub(crate) const fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) const fn is_written(&self) -> bool {
        self.waiting.is_empty() && !self.is_dirty
    }

    /// Waits until all of it is written. Dropping the future loses nothing.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            self.is_dirty = true;
            let count = self.stdout.write(&self.waiting).await?;
            self.waiting.drain(..count);
        }
        if self.is_dirty {
            self.stdout.flush().await?;
            self.is_dirty = false;
        }
        Ok(())
    }

    /// Writes what somebody reads at once, and forgets the rest: for a run that nobody waits for
    /// any more. Returns whether all of it was read.
    pub(crate) async fn flush_if_read(&mut self) -> bool {
        let is_read = matches!(timeout(PATIENCE, self.flush()).await, Ok(Ok(())));
        if !is_read {
            self.waiting.clear();
            self.is_dirty = false;
        }
        is_read
    }
}
