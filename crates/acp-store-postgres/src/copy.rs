//! Copies of sessions from one store to another, such as from a journal to a database.

use std::path::Path;

use acp_agent::store::{Record, Records, SessionLog, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, SessionId, SessionInfo};

/// The most records that are added at once.
const AT_ONCE: usize = 1000;

/// The outcome of a [`copy`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Copied {
    /// The number of sessions that are whole in the other store now.
    pub sessions: u64,
    /// The number of records that this call has added.
    pub records: u64,
    /// The sessions that were not copied, with the reasons. They may be open, or the other store
    /// has other records of the same id.
    pub left: Vec<(SessionId, StoreError)>,
}

/// Copies all sessions of one store to another one: records, facts and state. The stores are those
/// of one principal each, by [`SessionStore::for_principal`].
///
/// It is resumable. A call goes on behind the records that an earlier one has copied, so it may be
/// stopped at any time, and adds what has come since. Copy while agents run, stop them, and copy
/// once more. Sessions come in the order of their use, and keep their times, if the other store has
/// [`SessionLog::set_updated_at`].
///
/// ```no_run
/// use acp_agent::store::{Journal, StoreError};
/// use acp_store_postgres::{PostgresStore, copy};
///
/// # async fn run(store: PostgresStore) -> Result<(), StoreError> {
/// let copied = copy(&Journal::of_agent("notes"), &store).await?;
/// assert!(copied.left.is_empty(), "{:?}", copied.left);
/// # Ok(()) }
/// ```
///
/// # Errors
/// A list of the sessions cannot be read, or a store is not [available](StoreError::Unavailable).
/// Another error of a session is in [`Copied::left`], and the other sessions are copied.
pub async fn copy(from: &dyn SessionStore, to: &dyn SessionStore) -> Result<Copied, StoreError> {
    let mut copied = Copied::default();
    for session in in_order_of_use(from).await? {
        let id = session.session_id.clone();
        match copy_session(from, to, session).await {
            Ok(records) => {
                copied.sessions += 1;
                copied.records += records;
            }
            Err(error @ StoreError::Unavailable { .. }) => return Err(error),
            // Somebody has deleted it meanwhile.
            Err(StoreError::Unknown { .. }) => {}
            Err(error) => copied.left.push((id, error)),
        }
    }
    Ok(copied)
}

/// Returns the sessions of a store. The one used last is at the end.
async fn in_order_of_use(store: &dyn SessionStore) -> Result<Vec<SessionInfo>, StoreError> {
    let (mut sessions, mut request) = (Vec::new(), ListSessionsRequest::new());
    loop {
        let page = store.list(&request).await?;
        sessions.extend(page.sessions);
        request.cursor = page.next_cursor;
        if request.cursor.is_none() {
            sessions.reverse();
            return Ok(sessions);
        }
    }
}

/// Copies the rest of a session. Returns the number of records that it has added.
async fn copy_session(
    from: &dyn SessionStore,
    to: &dyn SessionStore,
    mut session: SessionInfo,
) -> Result<u64, StoreError> {
    let id = session.session_id.clone();
    let mut records = from.read(&id).await?;
    let time = session.updated_at.take();
    let (mut log, is_new) = match to.create(session.clone()).await {
        Err(StoreError::Exists { .. }) => (to.open(&id).await?, false),
        created => (created?, true),
    };
    let copied = match to.read(&id).await {
        // Another session of this id, which may have no records yet.
        Ok(_) if !is_folder_of(&log.info().cwd, &session.cwd) => {
            Err(StoreError::Exists { session: id.clone() })
        }
        Ok(present) => copy_rest(&mut *records, present, &mut *log, &session).await,
        Err(error) => Err(error),
    };
    // The last thing, because a use would change it.
    let copied = match (copied, time) {
        (Ok(added), Some(time)) => log.set_updated_at(time).await.map(|()| added),
        (copied, _) => copied,
    };
    // The session can be opened again, whatever became of the copy.
    let closed = log.close().await;
    if is_new && matches!(copied, Err(StoreError::Unknown { .. })) {
        // It was deleted over there in the middle.
        to.delete(&id).await?;
    }
    let copied = copied?;
    closed.map(|()| copied)
}

async fn copy_rest(
    records: &mut dyn Records,
    mut present: Box<dyn Records>,
    log: &mut dyn SessionLog,
    session: &SessionInfo,
) -> Result<u64, StoreError> {
    let mut rest = skip_present(records, &mut *present, &session.session_id).await?;
    let mut added = 0;
    while !rest.is_empty() {
        added += rest.len() as u64;
        while rest.len() > AT_ONCE {
            let later = rest.split_off(AT_ONCE);
            log.append(std::mem::replace(&mut rest, later)).await?;
        }
        log.append(rest).await?;
        rest = records.next().await?;
    }
    if log.info().title != session.title {
        log.set_title(session.title.clone()).await?;
    }
    if log.info().additional_directories != session.additional_directories {
        log.set_additional_directories(session.additional_directories.clone()).await?;
    }
    log.commit().await?;
    Ok(added)
}

/// Returns whether the two are one working directory, as far as that is known.
fn is_folder_of(one: &str, other: &str) -> bool {
    one.is_empty() || other.is_empty() || Path::new(one) == Path::new(other)
}

/// Reads over the records that are present in the other store. Returns those after them that were
/// read with them, and before them the state that the other store lacks.
///
/// Either store may lack parts of the state that later ones have replaced.
async fn skip_present(
    records: &mut dyn Records,
    present: &mut dyn Records,
    session: &SessionId,
) -> Result<Vec<Record>, StoreError> {
    let (mut ours, mut theirs) = (Ahead::of(records), Ahead::of(present));
    let (mut state, mut present_state) = (LastState::default(), LastState::default());
    while let Some(found) = theirs.peek().await? {
        let (is_state, next) = (found.kind().is_state(), ours.peek().await?);
        let (is_same, is_ours_state) = (next == Some(found), next.is_some_and(|next| next.kind().is_state()));
        if is_same || is_ours_state {
            state.note(ours.take());
        }
        if is_same || (is_state && !is_ours_state) {
            present_state.note(theirs.take());
        }
        if !(is_same || is_state || is_ours_state) {
            return Err(StoreError::Exists { session: session.clone() });
        }
    }
    // What comes next may replace a part of the state that is present.
    let mut rest = ours.rest();
    if rest.is_empty() {
        rest = records.next().await?;
    }
    rest.splice(0..0, state.without(&present_state));
    Ok(rest)
}

/// Records that are looked at one by one.
struct Ahead<'r> {
    records: &'r mut dyn Records,
    batch: std::vec::IntoIter<Record>,
    is_over: bool,
}

impl<'r> Ahead<'r> {
    fn of(records: &'r mut dyn Records) -> Self {
        Ahead { records, batch: Vec::new().into_iter(), is_over: false }
    }

    async fn peek(&mut self) -> Result<Option<&Record>, StoreError> {
        if self.batch.len() == 0 && !self.is_over {
            self.batch = self.records.next().await?.into_iter();
            self.is_over = self.batch.len() == 0;
        }
        Ok(self.batch.as_slice().first())
    }

    /// Takes the record that was looked at.
    fn take(&mut self) -> Option<Record> {
        self.batch.next()
    }

    /// Returns what was read and not taken.
    fn rest(self) -> Vec<Record> {
        self.batch.collect()
    }
}

/// The last record of each kind of state, in order.
#[derive(Default)]
struct LastState(Vec<Record>);

impl LastState {
    /// Notes a record, which need not be of the state.
    fn note(&mut self, record: Option<Record>) {
        if let Some(record) = record.filter(|record| record.kind().is_state()) {
            self.0.retain(|other| other.kind() != record.kind());
            self.0.push(record);
        }
    }

    /// Returns those that the other one lacks.
    fn without(self, other: &Self) -> impl Iterator<Item = Record> {
        self.0.into_iter().filter(|record| !other.0.contains(record))
    }
}
