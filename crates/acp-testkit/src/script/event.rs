//! An event that one script waits for and another part of a test fires.

use tokio::sync::watch;

/// An event that happens once. Its clones are the same event.
#[derive(Clone, Debug)]
pub struct Event(watch::Sender<bool>);

impl Event {
    /// Makes an event that has not happened.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Lets it happen.
    pub fn fire(&self) {
        self.0.send_replace(true);
    }

    /// Waits until it has happened.
    pub async fn happened(&self) {
        // The sender lives in `self`, so the channel cannot be closed.
        let _ = self.0.subscribe().wait_for(|happened| *happened).await;
    }
}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}
