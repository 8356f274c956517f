//! Sessions in the memory of the process.

mod stored;

#[cfg(feature = "v2")]
use std::any::Any;
use std::collections::HashMap;
use std::path::Path;
#[cfg(feature = "v2")]
use std::sync::Weak;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use self::stored::{PIECE, Place, Stored};
use super::{Pending, Record, Records, SessionLog, SessionStore, StoreError, timestamp};

/// The stores of agents that have none of their own. An agent may serve several connections, one
/// after the other or at once: its sessions outlive a connection.
#[cfg(feature = "v2")]
static OF_AGENTS: Mutex<Vec<(Weak<dyn Any + Send + Sync>, MemoryStore)>> = Mutex::new(Vec::new());

/// The sessions of one page of a list.
const PAGE: usize = 100;

/// A store in the memory of the process: its sessions end with it.
///
/// It keeps as many bytes as it was made for. What is beyond them goes: sessions that are not open,
/// those used longest ago first, and then the oldest records of the session that grows. Of these it
/// gives up a 64th of its bytes at a time.
///
/// Clones are handles on the same sessions. Sessions of all principals count together.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    inner: Arc<Inner>,
    principal: Arc<str>,
}

#[derive(Debug)]
struct Inner {
    limit: usize,
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    by_id: HashMap<Key, Stored>,
    bytes: usize,
    /// The number of changes so far, which orders them.
    changes: u64,
}

/// The principal of a session, and its id.
type Key = (Arc<str>, SessionId);

impl MemoryStore {
    /// The bytes that the store of an agent keeps which has none of its own.
    #[cfg(feature = "v2")]
    const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

    /// Creates a store of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let inner = Arc::new(Inner { limit, sessions: Mutex::default() });
        MemoryStore { inner, principal: Arc::from("") }
    }

    /// Returns the store of an agent that has none of its own. It lives as long as the agent.
    #[cfg(feature = "v2")]
    pub(crate) fn of_agent<A: Send + Sync + 'static>(agent: &Arc<A>) -> Self {
        let mut stores = OF_AGENTS.lock().unwrap_or_else(PoisonError::into_inner);
        stores.retain(|(agent, _)| agent.strong_count() > 0);
        let is_same =
            |other: &Weak<dyn Any + Send + Sync>| other.as_ptr().addr() == Arc::as_ptr(agent).addr();
        if let Some((_, store)) = stores.iter().find(|(other, _)| is_same(other)) {
            return store.clone();
        }
        let agent: Arc<dyn Any + Send + Sync> = Arc::<A>::clone(agent);
        let store = Self::new(Self::DEFAULT_LIMIT);
        stores.push((Arc::downgrade(&agent), store.clone()));
        store
    }

    fn key(&self, session: &SessionId) -> Key {
        (Arc::clone(&self.principal), session.clone())
    }

    fn open_log(&self, session: &SessionId) -> Result<Box<dyn SessionLog>, StoreError> {
        let mut sessions = self.sessions();
        let key = self.key(session);
        let stored = sessions.by_id.get_mut(&key).ok_or_else(|| unknown(session))?;
        if std::mem::replace(&mut stored.is_open, true) {
            return Err(StoreError::Busy { session: session.clone(), until: None });
        }
        Ok(Box::new(MemoryLog { store: self.clone(), info: stored.info.clone(), key }))
    }

    fn create_now(&self, info: SessionInfo) -> Result<Box<dyn SessionLog>, StoreError> {
        let session = info.session_id.clone();
        {
            let (mut sessions, key) = (self.sessions(), self.key(&session));
            if sessions.by_id.contains_key(&key) {
                return Err(StoreError::Exists { session });
            }
            sessions.changes += 1;
            let stored = Stored::new(info, sessions.changes);
            sessions.bytes += stored.bytes();
            sessions.by_id.insert(key.clone(), stored);
            sessions.make_room(&key, self.inner.limit);
        }
        self.open_log(&session)
    }

    fn list_now(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse, StoreError> {
        let before = request.cursor.as_deref().map(parse_cursor).transpose()?;
        let sessions = self.sessions();
        let is_listed = |stored: &&Stored| {
            let cwd = request.cwd.as_ref();
            before.is_none_or(|before| stored.place() < before)
                && cwd.is_none_or(|cwd| Path::new(cwd) == Path::new(&stored.info.cwd))
        };
        let of_principal = sessions.by_id.iter().filter(|((principal, _), _)| *principal == self.principal);
        let mut found: Vec<&Stored> = of_principal.map(|(_, stored)| stored).filter(is_listed).collect();
        found.sort_unstable_by_key(|stored| std::cmp::Reverse(stored.place()));
        let more = found.len() > PAGE;
        found.truncate(PAGE);
        let next = found.last().filter(|_| more).map(|last| cursor(last.place()));
        let listed = found.iter().map(|stored| {
            let mut info = stored.info.clone();
            info.updated_at = timestamp::format(stored.used);
            info
        });
        let mut page = ListSessionsResponse::new(listed.collect::<Vec<_>>());
        page.next_cursor = next;
        Ok(page)
    }

    fn delete_now(&self, session: &SessionId) -> Result<(), StoreError> {
        let (mut sessions, key) = (self.sessions(), self.key(session));
        let stored = sessions.by_id.get(&key).ok_or_else(|| unknown(session))?;
        if stored.is_open {
            return Err(StoreError::Busy { session: session.clone(), until: None });
        }
        sessions.remove(&key);
        Ok(())
    }

    fn delete_older_than_now(&self, time: SystemTime) -> u64 {
        let mut sessions = self.sessions();
        let is_old = |(key, stored): (&Key, &Stored)| {
            (key.0 == self.principal && !stored.is_open && stored.used < time).then(|| key.clone())
        };
        let old: Vec<Key> = sessions.by_id.iter().filter_map(is_old).collect();
        old.iter().for_each(|key| sessions.remove(key));
        old.len() as u64
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        // Nothing under this lock can leave the table half-changed.
        self.inner.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    fn remove(&mut self, key: &Key) {
        if let Some(stored) = self.by_id.remove(key) {
            self.bytes -= stored.bytes();
        }
    }

    /// Gives up what is beyond the limit, because this session has grown.
    fn make_room(&mut self, grown: &Key, limit: usize) {
        while self.bytes > limit {
            let closed = self.by_id.iter().filter(|(key, stored)| !stored.is_open && *key != grown);
            let Some((oldest, _)) = closed.min_by_key(|(_, stored)| stored.place()) else { break };
            let oldest = oldest.clone();
            self.remove(&oldest);
        }
        let over = self.bytes.saturating_sub(limit);
        if let Some(stored) = self.by_id.get_mut(grown) {
            self.bytes -= stored.make_room(over);
        }
    }
}

/// Returns the beginning of the next page: after this place.
fn cursor((used, change): Place) -> String {
    let since = used.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("m{:x}.{:x}.{change:x}", since.as_secs(), since.subsec_nanos())
}

fn parse_cursor(cursor: &str) -> Result<Place, StoreError> {
    let parse = || {
        let mut numbers = cursor.strip_prefix('m')?.split('.').map(|part| u64::from_str_radix(part, 16).ok());
        let [seconds, nanos, change] = [numbers.next()??, numbers.next()??, numbers.next()??];
        let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
        let used = UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))?;
        numbers.next().is_none().then_some((used, change))
    };
    parse().ok_or(StoreError::Cursor)
}

fn unknown(session: &SessionId) -> StoreError {
    StoreError::Unknown { session: session.clone() }
}

impl SessionStore for MemoryStore {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        let log = self.create_now(session);
        Box::pin(async { log })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        let log = self.open_log(session);
        Box::pin(async { log })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        let records = self.sessions().by_id.get(&self.key(session)).map(Stored::records);
        Box::pin(async move {
            let records = MemoryRecords(records.ok_or_else(|| unknown(session))?);
            Ok(Box::new(records) as Box<dyn Records>)
        })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        let page = self.list_now(request);
        Box::pin(async { page })
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        let deleted = self.delete_now(session);
        Box::pin(async { deleted })
    }

    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        let deleted = self.delete_older_than_now(time);
        Box::pin(async move { Ok(deleted) })
    }

    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        Ok(Arc::new(MemoryStore { inner: Arc::clone(&self.inner), principal: Arc::from(principal) }))
    }
}

/// An open session.
struct MemoryLog {
    store: MemoryStore,
    info: SessionInfo,
    key: Key,
}

impl MemoryLog {
    /// Changes the session, which cannot be deleted while it is open.
    fn change(&self, change: impl FnOnce(&mut Stored)) -> Pending<'_, ()> {
        let mut sessions = self.store.sessions();
        let sessions = &mut *sessions;
        if let Some(stored) = sessions.by_id.get_mut(&self.key) {
            sessions.changes += 1;
            let before = stored.bytes();
            stored.changed = sessions.changes;
            change(stored);
            sessions.bytes = sessions.bytes - before + stored.bytes();
            sessions.make_room(&self.key, self.store.inner.limit);
        }
        Box::pin(async { Ok(()) })
    }
}

impl SessionLog for MemoryLog {
    fn info(&self) -> &SessionInfo {
        &self.info
    }

    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        let sessions = self.store.sessions();
        let stored = sessions.by_id.get(&self.key);
        let state = stored.map(Stored::state);
        Box::pin(async { Ok(state) })
    }

    fn position(&self) -> Option<u64> {
        self.store.sessions().by_id.get(&self.key).map(|stored| stored.changed)
    }

    fn append(&mut self, mut records: Vec<Record>) -> Pending<'_, ()> {
        if records.is_empty() {
            return Box::pin(async { Ok(()) });
        }
        // A part of the state is replaced, and the conversation goes from its beginning. Neither
        // keeps the memory of the other.
        let is_state = |record: &Record| record.kind().is_state();
        for state in records.iter_mut().filter(|record| is_state(record)) {
            *state = state.alone();
        }
        for conversation in records.split_mut(is_state) {
            Record::gather(conversation, PIECE);
        }
        self.change(|stored| {
            stored.note_use(stored.changed);
            for record in records {
                stored.add(record);
            }
        })
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.change(|stored| {
            stored.note_use(stored.changed);
            stored.info.title = title;
        })
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        self.change(|stored| stored.info.additional_directories = directories)
    }

    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        match timestamp::parse(&time) {
            Ok(time) => self.change(|stored| stored.used = time),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl Drop for MemoryLog {
    fn drop(&mut self) {
        if let Some(stored) = self.store.sessions().by_id.get_mut(&self.key) {
            stored.is_open = false;
        }
    }
}

/// The records of a session at one moment.
struct MemoryRecords(Vec<Record>);

impl Records for MemoryRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async { Ok(std::mem::take(&mut self.0)) })
    }
}
