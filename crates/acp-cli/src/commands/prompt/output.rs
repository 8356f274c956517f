//! Stdout that never stops the program: its reader may be slow, stuck or gone.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWriteExt, Stdout, stdout};
use tokio::time::timeout;

/// The time for the last lines of a run that was given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// The output that is still to be written. A slow write can be dropped and taken up again.
pub(crate) struct Output {
    stdout: Stdout,
    waiting: Vec<u8>,
    /// Bytes that were handed over, and may not be written yet.
    is_dirty: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self { stdout: stdout(), waiting: Vec::new(), is_dirty: false }
    }

    pub(crate) fn add(&mut self, bytes: &mut Vec<u8>) {
        self.waiting.append(bytes);
    }

    /// Returns the number of bytes that wait.
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

    /// Writes the part that a reader takes at once, and forgets the rest. It serves a run that
    /// nobody waits for any more. Returns true if all of it was read.
    pub(crate) async fn flush_if_read(&mut self) -> bool {
        let is_read = matches!(timeout(PATIENCE, self.flush()).await, Ok(Ok(())));
        if !is_read {
            self.waiting.clear();
            self.is_dirty = false;
        }
        is_read
    }
}
