//! The tasks beside the work of a run: output, questions, signals and limits.

use std::io::{self, ErrorKind};
use std::pin::pin;

use acp_cli::terminal::Desk;
use acp_client::{Event, Updates};

use crate::commands::prompt::limits::{Limits, Reached};
use crate::interrupt::{Interrupt, Interrupts};
use crate::outcome::Failure;
use crate::output::Output;
use crate::render::view::View;

/// The parts that a run attends to from its start to its end.
pub(crate) struct Run {
    pub(crate) screen: View,
    pub(crate) output: Output,
    pub(crate) desk: Desk,
    pub(crate) interrupts: Interrupts,
    pub(crate) limits: Limits,
}

/// The reason why work stopped before its end.
pub(crate) enum Halt {
    /// The user wants it to stop.
    Interrupted(Interrupt),
    /// It took too long.
    Reached(Reached),
    /// The reader of stdout has gone away.
    Unread,
    /// Something went wrong.
    Failed(Failure),
}

impl Run {
    /// Does the work, and attends to everything else meanwhile. Each event of `updates` is shown as
    /// it comes.
    pub(crate) async fn attend<T>(
        &mut self,
        work: impl Future<Output = T>,
        mut updates: Option<&mut Updates>,
    ) -> Result<T, Halt> {
        let mut work = pin!(work);
        loop {
            self.screen.move_to(&mut self.output);
            let is_written = self.output.is_written();
            tokio::select! {
                biased;
                interrupt = self.interrupts.next() => return Err(Halt::Interrupted(interrupt)),
                reached = self.limits.reached() => return Err(Halt::Reached(reached)),
                flushed = self.output.flush(), if !is_written => flushed?,
                // The updates come first, because the next question may be about them.
                Some(event) = next(&mut updates), if is_written => self.screen.event(&event)?,
                done = &mut work => return Ok(done),
                attended = self.desk.attend(&mut self.screen), if is_written => attended?,
            }
        }
    }

    /// Attends until no question is open and everything is written.
    pub(crate) async fn settle(&mut self) -> Result<(), Halt> {
        loop {
            self.screen.move_to(&mut self.output);
            let is_written = self.output.is_written();
            if is_written && !self.desk.is_asked() {
                return Ok(());
            }
            tokio::select! {
                biased;
                interrupt = self.interrupts.next() => return Err(Halt::Interrupted(interrupt)),
                reached = self.limits.reached() => return Err(Halt::Reached(reached)),
                flushed = self.output.flush(), if !is_written => flushed?,
                attended = self.desk.attend(&mut self.screen), if is_written => attended?,
            }
        }
    }

    /// Waits until everything is written.
    pub(crate) async fn write_out(&mut self) -> Result<(), Halt> {
        self.screen.move_to(&mut self.output);
        tokio::select! {
            biased;
            interrupt = self.interrupts.next() => Err(Halt::Interrupted(interrupt)),
            reached = self.limits.reached() => Err(Halt::Reached(reached)),
            flushed = self.output.flush() => Ok(flushed?),
        }
    }

    /// Writes the output that the reader takes at once. Returns true if that was all of it.
    pub(crate) async fn write_last(&mut self) -> bool {
        self.screen.move_to(&mut self.output);
        self.output.flush_if_read().await
    }
}

async fn next(updates: &mut Option<&mut Updates>) -> Option<Event> {
    updates.as_mut()?.next().await
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe { Self::Unread } else { Self::Failed(error.into()) }
    }
}
