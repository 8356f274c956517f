//! A client that runs, and the starts of its agent.

use std::fmt;

use tokio::io::AsyncWrite;
use tokio::sync::{mpsc, oneshot};

use super::process::Process;
use crate::peer::ScriptedPeer;

type Cancel = Box<dyn FnMut() + Send>;

/// The input of a process.
pub(super) type Stdin = Box<dyn AsyncWrite + Send + Unpin>;

/// A client that was started. It starts its agent, which the checker plays.
pub struct Running {
    pub(in crate::check::client_side) agents: mpsc::UnboundedReceiver<AgentStart>,
    pub(super) cancel: Option<Cancel>,
    pub(in crate::check::client_side) process: Option<Process>,
    /// The stdin of a process, once the text for it is written.
    pub(super) stdin: Option<oneshot::Receiver<Stdin>>,
}

/// One start of the agent by a client: the agent's end of the connection.
#[derive(Debug)]
#[non_exhaustive]
pub struct AgentStart {
    /// The agent's end.
    pub peer: ScriptedPeer,
    /// The words that the client has added to the agent's command.
    pub words: Vec<String>,
    /// The value of the environment variable `ACP_CHECK_LOGIN`.
    pub variable: Option<String>,
    /// Fires with true if the client has closed the agent's stdin, and with false if it has ended
    /// the process before. Nothing comes if nobody can know.
    pub closed: mpsc::UnboundedReceiver<bool>,
}

impl AgentStart {
    /// Makes a start of the agent by its command as it was given.
    #[must_use]
    pub fn new(peer: ScriptedPeer) -> Self {
        let (_, closed) = mpsc::unbounded_channel();
        Self { peer, words: Vec::new(), variable: None, closed }
    }

    /// Adds what the client has added to the command of a login.
    #[must_use]
    pub fn login(mut self, words: Vec<String>, variable: Option<String>) -> Self {
        (self.words, self.variable) = (words, variable);
        self
    }

    /// Sets the receiver of the end: see [`closed`](Self::closed).
    #[must_use]
    pub fn closed_by(mut self, closed: mpsc::UnboundedReceiver<bool>) -> Self {
        self.closed = closed;
        self
    }
}

impl Running {
    /// Makes a client in memory from the starts of its agent.
    #[must_use]
    pub fn new(agents: mpsc::UnboundedReceiver<AgentStart>) -> Self {
        Self { agents, cancel: None, process: None, stdin: None }
    }

    /// Makes a client that starts one agent.
    #[must_use]
    pub fn over(peer: ScriptedPeer) -> Self {
        let (starts, agents) = mpsc::unbounded_channel();
        // The receiver is here.
        let _ = starts.send(AgentStart::new(peer));
        Self::new(agents)
    }

    /// Sets the function that makes the client cancel its turn.
    #[must_use]
    pub fn on_cancel(mut self, cancel: impl FnMut() + Send + 'static) -> Self {
        self.cancel = Some(Box::new(cancel));
        self
    }

    /// Ends the client with everything that it has started.
    pub(in crate::check::client_side) async fn end(mut self) {
        self.end_stdin();
        if let Some(process) = self.process.take() {
            process.end().await;
        }
    }

    /// Closes the client's stdin.
    pub(in crate::check::client_side) fn end_stdin(&mut self) {
        drop(self.stdin.take());
    }

    /// Makes the client cancel its turn. Returns false if nobody knows how.
    pub(in crate::check::client_side) fn cancel(&mut self) -> bool {
        self.cancel.as_mut().map(|cancel| cancel()).is_some()
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}
