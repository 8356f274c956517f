//! The connection to an agent, and the process at its other end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_rpc::{Child, CloseReason, Command, Driver, Peer};
use tokio::sync::watch;

use crate::agent::session::limits::TurnLimits;
use crate::agent::shared::Shared;

/// A connection to an agent. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) peer: Peer,
    /// Locked because a command may have a callback, which cannot be shared.
    pub(crate) program: Option<Mutex<Command>>,
    pub(crate) cancel_timeout: Option<Duration>,
    pub(crate) turn_limits: TurnLimits,
    child: Option<Child>,
    shared: Arc<Shared>,
    /// Holds the reason once the connection is over: the pipe is closed, and the child process, its
    /// tree and the commands of the agent are gone.
    ended: watch::Receiver<Option<CloseReason>>,
}

impl Connection {
    pub(crate) fn new(peer: Peer, driver: Driver, child: Option<Child>, shared: Arc<Shared>) -> Self {
        let (sender, ended) = watch::channel(None);
        let guests = Arc::clone(&shared);
        tokio::spawn(async move {
            let reason = driver.await;
            guests.guests.closed().await;
            sender.send_replace(Some(reason));
        });
        Self {
            peer,
            program: None,
            cancel_timeout: None,
            turn_limits: TurnLimits::new(),
            child,
            shared,
            ended,
        }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) async fn over(&self) -> CloseReason {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(CloseReason::Local),
            // The runtime dropped the driver, and the connection with it.
            Err(_) => CloseReason::Local,
        }
    }

    pub(crate) fn close(&self) {
        // First, so that the agent does not take the end of the connection for consent.
        self.shared.sessions.withdraw();
        self.peer.close();
    }

    pub(crate) fn stderr_tail(&self) -> String {
        self.child.as_ref().map(Child::stderr_tail).unwrap_or_default()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close();
    }
}
