//! A scripted peer of a child process.

use std::io;

use acp_process::{Child, ChildGuard, Command, Exit, Spawned};

use super::ScriptedPeer;

/// The process at the other end.
pub(super) struct Process {
    child: Child,
    guard: ChildGuard,
}

impl ScriptedPeer {
    /// Starts a program and plays the other side of its stdin and stdout (feature `process`).
    ///
    /// The process is ended with everything that it has started, when the peer is dropped at the
    /// latest: see [`Command::grace`]. A tokio runtime with I/O and time enabled must be there.
    ///
    /// # Errors
    /// Fails if the process cannot be started.
    pub fn spawn(command: Command) -> io::Result<Self> {
        let Spawned { stdin, stdout, child, guard, .. } = command.spawn()?;
        let mut peer = Self::new(stdout, stdin);
        peer.process = Some(Process { child, guard });
        Ok(peer)
    }

    /// Returns the last bytes that the process has written to stderr (feature `process`).
    #[must_use]
    pub fn stderr_tail(&self) -> Option<String> {
        self.process.as_ref().map(|process| process.child.stderr_tail())
    }

    /// Closes this side, ends the process with everything that it has started, and returns its end
    /// (feature `process`). Without a process it returns `None`.
    pub async fn end(&mut self) -> Option<Exit> {
        self.close().await;
        let Process { child, guard } = self.process.take()?;
        guard.end().await;
        Some(child.wait().await)
    }
}
