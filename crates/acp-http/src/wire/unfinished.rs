//! The work of a connection that is not finished, as the messages that pass show it.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use acp_rpc::Id;
use memchr::memmem::Finder;
use tokio::sync::Notify;

use super::effect::Effect;
use super::head::{Head, Kind};
use super::turns::Turns;

/// The most requests that are kept. Those beyond them are not waited for.
const MOST: usize = 1024;
/// The longest id of a request that is kept, in bytes.
const LONGEST_ID: usize = 1024;
/// Bytes that an answer has. Most messages of an agent have none of them, and are not read.
static SIGNS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new("\"result\""), Finder::new("\"error\"")]);
/// Bytes that a request has.
static METHOD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"method\""));

/// The work of a connection that is not finished: requests of the client without an answer, and
/// turns of version 2, which run on after the answers to their prompts.
///
/// It is for programs that pass messages on, and have to know when they may end. It reads the heads
/// of messages, and few of them: most cost a search for some bytes.
///
/// ```
/// # async fn run() {
/// let unfinished = acp_http::Unfinished::new();
/// unfinished.sent(br#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#);
/// unfinished.received(br#"{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#);
/// unfinished.none().await;
/// # }
/// ```
#[derive(Default)]
pub struct Unfinished {
    work: Mutex<Work>,
    /// Fires when nothing is left.
    finished: Notify,
}

#[derive(Default)]
struct Work {
    requests: HashMap<Id, Asked>,
    turns: Turns,
}

/// A request. Its session is kept if the answer says something about it.
struct Asked {
    effect: Effect,
    session: Option<Box<str>>,
}

impl Unfinished {
    /// Creates one for a connection that begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a message of the client.
    pub fn sent(&self, message: &[u8]) {
        if METHOD.find(message).is_none() {
            return;
        }
        let Ok(Head { kind: Kind::Request { id, method }, session, .. }) = Head::read(message) else {
            return;
        };
        let is_long = matches!(&id, Id::Str(id) if id.len() > LONGEST_ID);
        let mut work = self.work();
        if !is_long && work.requests.len() < MOST {
            let effect = Effect::of(&method);
            let session = session.filter(|_| matches!(effect, Effect::Starts | Effect::Ends));
            if let (Effect::Starts, Some(session)) = (effect, &session) {
                work.turns.asked(session);
            }
            work.requests.insert(id, Asked { effect, session: session.map(|it| it.into_owned().into()) });
        }
    }

    /// Notes a message of the agent.
    pub fn received(&self, message: &[u8]) {
        let mut work = self.work();
        if work.is_finished() && !work.turns.outlast_answers() {
            return;
        }
        let was_finished = work.is_finished();
        if !work.requests.is_empty() && SIGNS.iter().any(|sign| sign.find(message).is_some()) {
            work.answered(message);
        }
        work.turns.heard(message);
        if !was_finished && work.is_finished() {
            drop(work);
            self.finished.notify_waiters();
        }
    }

    /// Waits until every request is answered, and no turn runs.
    pub async fn none(&self) {
        loop {
            let mut finished = pin!(self.finished.notified());
            // From here on it is not missed.
            finished.as_mut().enable();
            if self.work().is_finished() {
                return;
            }
            finished.await;
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work {
    fn answered(&mut self, message: &[u8]) {
        let Ok(head) = Head::read(message) else { return };
        let Kind::Answer { id: Some(id), is_error } = &head.kind else { return };
        let Some(asked) = self.requests.remove(id) else { return };
        match (asked.effect, asked.session) {
            _ if *is_error => {}
            (Effect::Agrees, _) => self.turns.agreed(head.version),
            (Effect::Starts, Some(session)) => self.turns.accepted(&session),
            (Effect::Ends, Some(session)) => self.turns.closed(&session),
            _ => {}
        }
    }

    fn is_finished(&self) -> bool {
        self.requests.is_empty() && self.turns.are_over()
    }
}

impl fmt::Debug for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = self.work();
        f.debug_struct("Unfinished").field("requests", &work.requests.len()).finish_non_exhaustive()
    }
}
