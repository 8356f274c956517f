//! Signals that stop a turn or the program.

use std::io;

use crate::outcome::{Failure, exit};

/// The wish behind a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    /// Ctrl-C: it stops the turn, and pressed again the program.
    Cancel,
    /// The program is to end: it was told so, or its terminal is gone.
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are no such signals"))]
    End,
}

/// Runs a command until it is done, or until a signal stops it. The processes that it has started
/// end with it.
pub(crate) async fn until_told(command: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    tokio::select! {
        biased;
        done = command => done,
        _ = interrupts.next() => Ok(exit::CANCELLED),
    }
}

/// Listens from its creation on. A signal that comes between waits is kept.
#[cfg(unix)]
pub(crate) struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.interrupt.recv() => Interrupt::Cancel,
            _ = self.terminate.recv() => Interrupt::End,
            _ = self.hangup.recv() => Interrupt::End,
        }
    }
}

/// Listens from its creation on. A signal that comes between waits is kept.
#[cfg(windows)]
pub(crate) struct Interrupts(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Interrupts {
    pub(crate) fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    pub(crate) async fn next(&mut self) -> Interrupt {
        self.0.recv().await;
        Interrupt::Cancel
    }
}
