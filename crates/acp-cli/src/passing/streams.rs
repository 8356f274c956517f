//! Connections to agents of other machines that pass in the background, and their ends.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use acp_http::Remote;
use tokio::io::DuplexStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::denied::told;
use super::remote::between;
use crate::outcome::tell;

/// The bytes that wait for a reader within this process.
const CAPACITY: usize = 64 * 1024;
/// The longest time that the servers have to learn of the end. A connection waits 5 seconds for its
/// last message, and 5 seconds for the end.
const TELLING: Duration = Duration::from_secs(15);

/// The connections that a command has begun. A clone is of the same ones.
#[derive(Clone)]
pub(crate) struct Streams {
    tasks: Arc<Mutex<JoinSet<()>>>,
    /// True once the command has ended.
    over: watch::Sender<bool>,
}

impl Streams {
    pub(crate) fn new() -> Self {
        Self { tasks: Arc::default(), over: watch::Sender::new(false) }
    }

    /// Connects to an agent in the background. The messages of the agent come out of the stream.
    pub(crate) fn connect(&self, remote: Remote) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(CAPACITY);
        let mut over = self.over.subscribe();
        let mut tasks = self.lock();
        // A check makes many, one after the other.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let connected = tokio::select! {
                biased;
                connected = remote.connect() => connected,
                // Nothing is there that has an end.
                _ = over.wait_for(|over| *over) => return,
            };
            let passed = match connected {
                Ok(agent) => {
                    let (reader, writer) = tokio::io::split(theirs);
                    between((Box::pin(reader), Box::pin(writer)), agent, Duration::ZERO, pending()).await
                }
                Err(error) => Err(error.into()),
            };
            if let Err(error) = passed {
                tell(&format!("acp: {}", told(&error)));
            }
        });
        ours
    }

    /// Waits until the servers have been told of the end of each connection, for a limited time.
    pub(crate) async fn ended(&self) {
        self.over.send_replace(true);
        let mut tasks = std::mem::take(&mut *self.lock());
        // What is not told by then is found out by the server.
        let _ = timeout(TELLING, async { while tasks.join_next().await.is_some() {} }).await;
    }

    fn lock(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
