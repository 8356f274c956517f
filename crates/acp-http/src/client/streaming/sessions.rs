//! The streams that are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::shared::Shared;
use super::stop::StreamKey;
use super::stream::EventStream;
use crate::client::error::Error;

/// The time that is waited for the head of a stream. Some servers send it with the first event
/// only.
pub(super) const HEAD: Duration = Duration::from_secs(1);

/// The state of a stream.
#[derive(Clone, Debug)]
pub(super) enum State {
    Opening,
    Open,
    /// The server does not know the session.
    Unknown,
    Refused(Error),
}

/// A message that came on another stream, and must not overtake what is on this one.
pub(super) struct Behind {
    pub(super) message: Vec<u8>,
    pub(super) done: oneshot::Sender<()>,
    /// The silence after which nothing more is expected before it. `None` is as soon as nothing is
    /// there.
    pub(super) silence: Option<Duration>,
}

/// The streams of a connection.
#[derive(Default)]
pub(super) struct Sessions {
    streams: Mutex<HashMap<StreamKey, Stream>>,
    changed: Notify,
}

struct Stream {
    state: watch::Receiver<State>,
    behind: mpsc::Sender<Behind>,
    task: AbortHandle,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<StreamKey, Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream that is not there. `announced` reaches the peer when it is open, or cannot
    /// be; it comes back if the stream is there already.
    pub(super) fn open(shared: &Arc<Shared>, key: &StreamKey, announced: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut streams = shared.sessions.lock();
        if streams.contains_key(key) {
            return announced;
        }
        let (state, watched) = watch::channel(State::Opening);
        let (sender, behind) = mpsc::channel(1);
        let stream = EventStream::new(Arc::clone(shared), key.clone(), state, behind);
        let task = tokio::spawn(stream.run(announced)).abort_handle();
        streams.insert(key.clone(), Stream { state: watched, behind: sender, task });
        None
    }

    /// Waits until the stream of a session is open, for a limited time, and opens it if it is not
    /// there. Without a stream nobody would hear the session.
    pub(super) async fn ready(shared: &Arc<Shared>, session: &Arc<str>) -> Result<(), Error> {
        let key = Some(Arc::clone(session));
        Self::open(shared, &key, None);
        let Some(mut state) = shared.sessions.lock().get(&key).map(|stream| stream.state.clone()) else {
            return Ok(());
        };
        let opened = timeout(HEAD, state.wait_for(|state| !matches!(state, State::Opening))).await;
        match opened {
            Ok(Ok(state)) => match &*state {
                State::Refused(error) => Err(error.clone()),
                State::Opening | State::Open | State::Unknown => Ok(()),
            },
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }

    /// Hands a message over to an open stream, which gives it to the peer behind what it has. It
    /// comes back if such a stream does not exist.
    pub(super) async fn put_behind(
        &self,
        key: &StreamKey,
        message: Vec<u8>,
        silence: Option<Duration>,
    ) -> Option<Vec<u8>> {
        let sender = match self.lock().get(key) {
            Some(stream) if matches!(*stream.state.borrow(), State::Open) => stream.behind.clone(),
            _ => return Some(message),
        };
        let (done, is_done) = oneshot::channel();
        if let Err(returned) = sender.send(Behind { message, done, silence }).await {
            return Some(returned.0.message);
        }
        // An error means that the connection is over.
        let _ = is_done.await;
        None
    }

    pub(super) fn is_open(&self, key: &StreamKey) -> bool {
        self.lock().contains_key(key)
    }

    /// Forgets a stream that has ended by itself.
    pub(super) fn remove(&self, key: &StreamKey) {
        self.lock().remove(key);
        self.changed.notify_waiters();
    }

    /// Ends the stream of a session that is gone.
    pub(super) fn end(&self, key: &StreamKey) {
        if let Some(stream) = self.lock().remove(key) {
            stream.task.abort();
        }
        self.changed.notify_waiters();
    }

    /// Waits until the streams of all sessions have ended.
    pub(super) async fn ended(&self) {
        loop {
            let changed = self.changed.notified();
            if self.lock().keys().all(Option::is_none) {
                return;
            }
            changed.await;
        }
    }

    /// Ends all streams.
    pub(super) fn abort(&self) {
        self.lock().drain().for_each(|(_, stream)| stream.task.abort());
    }
}
