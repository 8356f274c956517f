//! What happens to the servers of a session.

use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::error::McpError;

/// How many events are kept for who does not read them.
const KEPT: usize = 128;

/// Something that happened to a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A server is connected, for the first time.
    Connected {
        /// Its name.
        server: String,
    },
    /// A server is not connected, and will not be: a user should hear of it (rule `acp-mcp-06`).
    Failed {
        /// Its name.
        server: String,
        /// Why.
        error: McpError,
    },
    /// The list of a server's tools is there, or has changed.
    ToolsChanged {
        /// Its name.
        server: String,
    },
    /// The list of a server's tools could not be had.
    ToolsFailed {
        /// Its name.
        server: String,
        /// Why.
        error: McpError,
    },
    /// A server does not tell any more of a resource that is [subscribed to](crate::Server::on_resource_updated): it
    /// refused to after it was connected again, or after its stream of changes broke.
    SubscriptionLost {
        /// Its name.
        server: String,
        /// The resource.
        uri: String,
        /// What it said.
        error: McpError,
    },
    /// A server ended by itself and is being started again. Calls that were running have failed.
    Restarting {
        /// Its name.
        server: String,
        /// How it ended.
        error: McpError,
    },
    /// A server that had ended is connected again.
    Restarted {
        /// Its name.
        server: String,
    },
    /// So many events came while nobody read them, and are gone.
    Missed(u64),
}

/// Events, in order. Of those that nobody reads the last 128 are kept; [`Event::Missed`] stands for the others.
#[derive(Debug)]
pub struct Events(Receiver<Event>);

impl Events {
    /// The next event; `None` when the session is gone.
    pub async fn next(&mut self) -> Option<Event> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(count)) => Some(Event::Missed(count)),
            Err(RecvError::Closed) => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct EventSender {
    sender: Sender<Event>,
    first: Mutex<Option<Receiver<Event>>>,
}

impl EventSender {
    pub(in crate::session) fn new() -> Self {
        let (sender, first) = broadcast::channel(KEPT);
        Self { sender, first: Mutex::new(Some(first)) }
    }

    pub(in crate::session) fn subscribe(&self) -> Events {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        Events(first.unwrap_or_else(|| self.sender.subscribe()))
    }

    pub(crate) fn send(&self, event: Event) {
        // Nobody needs to listen.
        let _ = self.sender.send(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn of_events_that_nobody_reads_the_last_are_kept() {
        let sender = EventSender::new();
        for number in 0..KEPT + 2 {
            sender.send(Event::Connected { server: number.to_string() });
        }
        let mut events = sender.subscribe();
        drop(sender);
        assert_eq!(events.next().await, Some(Event::Missed(2)));
        for number in 2..KEPT + 2 {
            assert_eq!(events.next().await, Some(Event::Connected { server: number.to_string() }));
        }
        assert_eq!(events.next().await, None);
    }
}
