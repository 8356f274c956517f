//! Stores of sessions: what they have to do.

use std::pin::Pin;
use std::sync::Arc;

use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use super::error::StoreError;
use super::record::Record;

/// The future of a store's method.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where sessions are kept. [`Journal`](super::Journal) is one; another may be a database or a service.
///
/// A session is opened by one [`SessionLog`] at a time, in all processes that use the store. The methods run in
/// the tasks of requests: they may wait, but must not block the thread.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps a new session, and opens it. It is durable when this is done.
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>>;

    /// Opens a session to add to it; [`StoreError::Busy`] while it is open already.
    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>>;

    /// Reads what was appended to a session before this call, also while it is open.
    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>>;

    /// A page of the stored sessions, those used last first, with titles and times; see
    /// [`ListSessionsRequest`] for the filter and the cursor.
    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse>;

    /// Deletes a session; [`StoreError::Unknown`] when there is none, [`StoreError::Busy`] while it is open.
    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()>;
}

/// A session that is open to be added to. Dropping it closes it.
///
/// It is used by one task that does nothing else. After an error it is dropped, and the session
/// [opened](SessionStore::open) again when the next turn begins, to go on behind the last whole record. The same happens
/// to one that is dropped because it is idle: see [`position`](Self::position).
pub trait SessionLog: Send + 'static {
    /// What is known about the session. Without a `cwd` if that was lost.
    fn info(&self) -> &SessionInfo;

    /// Whether updates leave only when they are [appended](Self::append), so that the client never has one that a
    /// crash of this process loses. The whole connection waits for it then: it is for stores that take no longer than
    /// a local file. Without it, which is the default, they leave at once and are appended meanwhile.
    fn writes_ahead(&self) -> bool {
        false
    }

    /// Where the session ends: a number that is another one after each call that has changed what is stored, whoever
    /// made it, such as a length in bytes or a count of changes.
    ///
    /// A log that tells it need not be kept while nothing happens in the session: it is dropped, so that the session
    /// costs neither a file nor a connection and can be opened elsewhere, and opened again when there is something to
    /// write. If the session does not end where it did, somebody else has gone on with it: the prompt is refused with
    /// [`StoreError::Changed`]. Without it, which is the default, the session is held until it is closed.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Adds records. They are safe from a crash of this process when it is done. With an error, none of them or a
    /// beginning is stored.
    ///
    /// A turn begins with its prompt. Where that is written ahead, or is the first record since the session was opened
    /// again, the turn is refused if it cannot be added.
    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()>;

    /// Sets or removes the session's title.
    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()>;

    /// Sets the directories that the session has beside its working directory: those of the last time that it was
    /// opened. That is no use of the session, so its time stays.
    ///
    /// Does nothing unless a store does more: its lists have the directories of the creation then.
    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        let _ = directories;
        Box::pin(async { Ok(()) })
    }

    /// Makes durable what was added: when it is done, it is safe from a loss of power, too. Called at the end
    /// of every turn, before the client gets the answer, and before the log is dropped.
    fn commit(&mut self) -> Pending<'_, ()>;
}

/// The records of a session, oldest first.
pub trait Records: Send + 'static {
    /// The next few; none at the end.
    fn next(&mut self) -> Pending<'_, Vec<Record>>;
}

impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        (**self).create(session)
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        (**self).open(session)
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        (**self).read(session)
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        (**self).list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        (**self).delete(session)
    }
}
