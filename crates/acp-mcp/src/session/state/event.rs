//! Events of the servers of a session.

use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::error::McpError;

/// The number of unread events that are kept.
const KEPT: usize = 128;

/// An event of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A server is connected, for the first time.
    Connected {
        /// Its name.
        server: String,
    },
    /// A server is not connected, and will not be connected. The user should be told.
    Failed {
        /// Its name.
        server: String,
        /// Why.
        error: McpError,
    },
    /// The list of a server's tools has arrived, or has changed.
    ToolsChanged {
        /// Its name.
        server: String,
    },
    /// The list of a server's tools could not be fetched.
    ToolsFailed {
        /// Its name.
        server: String,
        /// Why.
        error: McpError,
    },
    /// A server does not report a [subscribed](crate::Server::on_resource_updated) resource any
    /// more. It refused the subscription after it was connected again, or after its stream of
    /// changes broke.
    SubscriptionLost {
        /// Its name.
        server: String,
        /// The resource.
        uri: String,
        /// The reason.
        error: McpError,
    },
    /// A server ended by itself and is being started again. Calls that were under way have failed.
    Restarting {
        /// Its name.
        server: String,
        /// The reason why it ended.
        error: McpError,
    },
    /// A server that had ended is connected again.
    Restarted {
        /// Its name.
        server: String,
    },
    /// This many events were lost, because nobody read them.
    Missed(u64),
}

/// The events of a session, in order. The last 128 unread events are kept; [`Event::Missed`] stands
/// for the others.
#[derive(Debug)]
pub struct Events(Receiver<Event>);

impl Events {
    /// Returns the next event, or `None` when the session is gone.
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
        // An event without listeners is dropped.
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
