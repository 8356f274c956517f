//! The streams that are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::behind::{self, LONGEST, Queue};
use super::shared::Shared;
use super::stop::StreamKey;
use super::stream::EventStream;
use crate::client::error::Error;

/// The time that is waited for the head of a stream. Some servers send it with the first event
/// only.
pub(super) const HEAD: Duration = Duration::from_secs(1);
/// The most bytes that wait behind the streams of sessions. Then the connection's stream waits.
const BUDGET: u32 = 1024 * 1024;

/// The state of a stream.
#[derive(Clone, Debug)]
pub(super) enum State {
    Opening,
    Open,
    /// The server does not know the session.
    Unknown,
    Refused(Error),
}

/// The streams of a connection.
pub(super) struct Sessions {
    streams: Mutex<HashMap<StreamKey, Stream>>,
    changed: Notify,
    /// The room for messages that stay behind.
    room: Arc<Semaphore>,
}

struct Stream {
    state: watch::Receiver<State>,
    behind: Queue,
    task: AbortHandle,
}

impl Default for Sessions {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(usize::try_from(BUDGET).unwrap_or(usize::MAX)));
        Self { streams: Mutex::default(), changed: Notify::new(), room }
    }
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
        let (sender, behind) = behind::queue();
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
    /// comes back if such a stream does not exist. Only too many bytes of them are waited for.
    pub(super) async fn put_behind(
        &self,
        key: &StreamKey,
        message: Vec<u8>,
        silence: Option<Duration>,
    ) -> Option<Vec<u8>> {
        let bytes = u32::try_from(message.len()).unwrap_or(BUDGET).clamp(1, BUDGET);
        let Ok(room) = Arc::clone(&self.room).acquire_many_owned(bytes).await else { return Some(message) };
        let (message, mut waiting) = match self.lock().get(key) {
            Some(stream) if matches!(*stream.state.borrow(), State::Open) => {
                (stream.behind.put(message, silence, room).err()?, stream.behind.waiting())
            }
            _ => return Some(message),
        };
        // The stream has ended. Those that it has go first.
        let _ = waiting.wait_for(|waiting| *waiting == 0).await;
        Some(message)
    }

    /// Returns true if messages wait behind the stream of a session.
    pub(super) fn holds(&self, key: &StreamKey) -> bool {
        self.lock().get(key).is_some_and(|stream| stream.behind.holds())
    }

    /// Waits until no message stays behind, for a limited time.
    pub(super) async fn settled(&self) {
        let _ = timeout(LONGEST, self.room.acquire_many(BUDGET)).await;
    }

    pub(super) fn is_open(&self, key: &StreamKey) -> bool {
        self.lock().contains_key(key)
    }

    /// Forgets a stream that has ended by itself.
    pub(super) fn remove(&self, key: &StreamKey) {
        self.lock().remove(key);
        self.changed.notify_waiters();
    }

    /// Ends the stream of a session that is gone. The messages behind it still come.
    pub(super) fn end(&self, key: &StreamKey) {
        let stream = self.lock().remove(key);
        if let Some(stream) = stream.filter(|stream| !stream.behind.holds()) {
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
