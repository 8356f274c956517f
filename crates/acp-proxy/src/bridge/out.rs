//! The ways back to MCP clients, and the clients that do not read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_rpc::BoxFuture;
use acp_rpc::lines::Outlet;

#[cfg(feature = "mcp-http")]
use super::outbox::Outbox;

/// A way back to an MCP client.
#[derive(Clone)]
pub(super) struct Out {
    kind: Kind,
    number: u64,
    full: Arc<Full>,
}

#[derive(Clone)]
enum Kind {
    Lines(Outlet),
    #[cfg(feature = "mcp-http")]
    Events(Arc<Outbox>),
}

/// The ways back over which more waits than the budget allows.
pub(super) struct Full {
    outs: Mutex<HashMap<u64, Kind>>,
    last: AtomicU64,
    stall: Duration,
}

impl Out {
    /// Makes the way over a connection of lines.
    pub(super) fn lines(outlet: Outlet, full: &Arc<Full>) -> Self {
        Self::of(Kind::Lines(outlet), full)
    }

    /// Makes the way over a stream of events.
    #[cfg(feature = "mcp-http")]
    pub(super) fn events(outbox: Arc<Outbox>, full: &Arc<Full>) -> Self {
        Self::of(Kind::Events(outbox), full)
    }

    fn of(kind: Kind, full: &Arc<Full>) -> Self {
        Self { kind, number: full.last.fetch_add(1, Ordering::Relaxed), full: Arc::clone(full) }
    }

    /// Sends a message. It never waits. A way that has ended drops it.
    pub(super) fn push(&self, write: impl FnOnce(&mut Vec<u8>)) {
        match &self.kind {
            Kind::Lines(outlet) => {
                let _ = outlet.push(write);
            }
            #[cfg(feature = "mcp-http")]
            Kind::Events(outbox) => outbox.push(write, false),
        }
        self.note();
    }

    /// Sends the answer to a request. A stream for one request ends with it.
    pub(super) fn push_answer(&self, write: impl FnOnce(&mut Vec<u8>)) {
        match &self.kind {
            Kind::Lines(_) => return self.push(write),
            #[cfg(feature = "mcp-http")]
            Kind::Events(outbox) => outbox.push(write, true),
        }
        #[cfg(feature = "mcp-http")]
        self.note();
    }

    /// Notes that a request gets no answer. A stream for one request ends.
    pub(super) fn no_answer(&self) {
        match &self.kind {
            Kind::Lines(_) => {}
            #[cfg(feature = "mcp-http")]
            Kind::Events(outbox) => outbox.finish(),
        }
    }

    /// Returns a future to wait for while too much waits for the client.
    pub(super) fn pause(&self) -> Option<BoxFuture> {
        let kind = self.kind.clone();
        (!kind.has_room()).then(|| Box::pin(async move { kind.room().await }) as BoxFuture)
    }

    fn note(&self) {
        if !self.kind.has_room() {
            self.full.outs().insert(self.number, self.kind.clone());
        }
    }
}

impl Full {
    pub(super) fn new(stall: Duration) -> Self {
        Self { outs: Mutex::default(), last: AtomicU64::new(0), stall }
    }

    /// Returns a future to wait for while too much waits for any client.
    pub(super) fn pause(self: &Arc<Self>) -> Option<BoxFuture> {
        self.one()?;
        let full = Arc::clone(self);
        Some(Box::pin(async move {
            while let Some((number, kind)) = full.one() {
                full.wait(&kind).await;
                // One that is ending has no room any more, and is in nobody's way.
                full.outs().remove(&number);
            }
        }))
    }

    /// Waits until a client has read enough, or ends its connection if it reads nothing.
    async fn wait(&self, kind: &Kind) {
        loop {
            let before = kind.waiting();
            if tokio::time::timeout(self.stall, kind.room()).await.is_ok() {
                return;
            }
            if kind.waiting() >= before {
                return kind.end();
            }
        }
    }

    fn one(&self) -> Option<(u64, Kind)> {
        let mut outs = self.outs();
        outs.retain(|_, kind| !kind.has_room());
        outs.iter().next().map(|(number, kind)| (*number, kind.clone()))
    }

    fn outs(&self) -> MutexGuard<'_, HashMap<u64, Kind>> {
        self.outs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kind {
    fn has_room(&self) -> bool {
        match self {
            Self::Lines(outlet) => outlet.has_room(),
            #[cfg(feature = "mcp-http")]
            Self::Events(outbox) => outbox.has_room(),
        }
    }

    fn waiting(&self) -> usize {
        match self {
            Self::Lines(outlet) => outlet.waiting(),
            #[cfg(feature = "mcp-http")]
            Self::Events(outbox) => outbox.waiting(),
        }
    }

    async fn room(&self) {
        match self {
            Self::Lines(outlet) => outlet.room().await,
            #[cfg(feature = "mcp-http")]
            Self::Events(outbox) => outbox.room().await,
        }
    }

    fn end(&self) {
        match self {
            Self::Lines(outlet) => outlet.close(),
            #[cfg(feature = "mcp-http")]
            Self::Events(outbox) => outbox.abandon(),
        }
    }
}
