//! Stores of sessions.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use super::error::StoreError;
use super::record::Record;

/// The future of a store's method.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The future of [`SessionLog::lost`].
pub type Loss = Pin<Box<dyn Future<Output = StoreError> + Send>>;

/// A store of sessions. [`Journal`](super::Journal) is one; another may be a database or a service.
///
/// A session is opened by one [`SessionLog`] at a time, in all processes that use the store. The
/// methods run in the tasks of requests: they may wait, but must not block the thread. A store that
/// is reached over a network waits for it within a limit that it states, and then fails with
/// [`StoreError::Unavailable`].
///
/// `acp_testkit::store` has a conformance suite for stores.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps a new session, and opens it. The session is durable when this returns.
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>>;

    /// Opens a session to add to it. Fails with [`StoreError::Busy`] while it is open already.
    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>>;

    /// Reads what was appended to a session before this call, also while it is open.
    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>>;

    /// Returns a page of the stored sessions, with titles and times. Those used last come first.
    /// [`ListSessionsRequest`] has the filter and the cursor.
    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse>;

    /// Deletes a session. Fails with [`StoreError::Unknown`] if it does not exist, with
    /// [`StoreError::Busy`] while it is open.
    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()>;

    /// Deletes the sessions that were last used before this time, and returns their number. A
    /// session that is open stays.
    ///
    /// The default fails with [`StoreError::Unsupported`].
    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        let _ = time;
        Box::pin(async { Err(StoreError::Unsupported { operation: "delete_older_than" }) })
    }

    /// Deletes the sessions that were last used longer ago than this, and returns their number. A
    /// store with a clock of its own measures by that one, whatever the clocks of the machines say.
    ///
    /// The default calls [`delete_older_than`](Self::delete_older_than) by the clock of this
    /// machine.
    fn delete_unused_for(&self, age: Duration) -> Pending<'_, u64> {
        match SystemTime::now().checked_sub(age) {
            Some(time) => self.delete_older_than(time),
            None => Box::pin(async { Ok(0) }),
        }
    }

    /// Returns the store of this principal's sessions: somebody whom a server has
    /// [authenticated](crate::Serve::principal). All methods of that store know these sessions and
    /// no others, and two principals may use the same id. The store itself has the sessions of the
    /// principal whose name is empty.
    ///
    /// # Errors
    /// [`StoreError::Principal`] for a name that cannot be kept. The default fails with
    /// [`StoreError::Unsupported`]: a store that does not tell principals apart must not be used
    /// for several.
    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        let _ = principal;
        Err(StoreError::Unsupported { operation: "for_principal" })
    }
}

/// A session that is open to be added to. [`close`](Self::close) closes it, and its drop does so,
/// too.
///
/// One task uses it, which does nothing else. After an error nothing more of the turn is added. It
/// depends on the error how the next turn goes on:
///
/// * After [`StoreError::Unavailable`] the log is kept, and called again. The store has the records
///   of the failed call, a beginning of them, or none. The log finds out which, and goes on behind
///   them.
/// * After any other error it is dropped. The session is [opened](SessionStore::open) again, and
///   goes on behind the last whole record.
///
/// A call is given up when its future is dropped. The store then has the records of the call, a
/// beginning of them, or none, and never behind later ones. The next call goes on behind them, or
/// fails, and then the session is opened again.
///
/// An idle session may be closed and opened again, too: see [`position`](Self::position).
pub trait SessionLog: Send + 'static {
    /// Returns the stored facts about the session. The `cwd` is empty if it was lost.
    fn info(&self) -> &SessionInfo;

    /// Returns the last record of each [kind of state](super::RecordKind::is_state) of the session.
    /// A session that has none of a kind has no such record here.
    ///
    /// The default returns `None`. The library then reads all records when the session is opened
    /// again, and takes the last ones.
    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        Box::pin(async { Ok(None) })
    }

    /// Returns whether updates leave only once they are [appended](Self::append). The client then
    /// never has an update that a crash of this process loses. The whole connection waits for
    /// appending, so this is for stores that take no longer than a local file. By default updates
    /// leave at once and are appended meanwhile.
    fn writes_ahead(&self) -> bool {
        false
    }

    /// Returns the end of the session: a number that differs after each change of the stored
    /// session, whoever made it, such as a length in bytes or a count of changes.
    ///
    /// A log with a position is not kept while nothing happens in the session. It is closed, so
    /// that the session costs neither a file nor a connection and can be opened elsewhere. It is
    /// opened again when there is something to write. If the session does not end where it did,
    /// somebody else has gone on with it, and the prompt is refused with [`StoreError::Changed`].
    /// By default a log has none, and the session is held until it is closed.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Waits until the session is lost to somebody else, and returns the error that an addition
    /// would have: [`StoreError::Changed`], or [`StoreError::Unavailable`] if the store cannot be
    /// reached for so long that somebody else may soon take the session. The turn that runs is then
    /// cancelled at once, and its answer is this error.
    ///
    /// By default it never returns: the session is held until it is closed.
    fn lost(&self) -> Loss {
        Box::pin(std::future::pending())
    }

    /// Adds records. They survive a crash of this process when this returns. After an error, none
    /// of them or a beginning of them is stored. No record is stored twice.
    ///
    /// The call fails with [`StoreError::Changed`] and stores nothing if somebody else has opened
    /// the session meanwhile, for instance because this process was paused for so long that its
    /// lease ended.
    ///
    /// A turn begins with its prompt. If the prompt is written ahead, or is the first record since
    /// the session was opened again, the turn is refused if it cannot be added.
    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()>;

    /// Sets or removes the session's title.
    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()>;

    /// Sets the directories that the session was last opened with, besides its working directory.
    /// That does not count as a use of the session, so its time stays.
    ///
    /// The default does nothing: lists then show the directories that the session was created with.
    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        let _ = directories;
        Box::pin(async { Ok(()) })
    }

    /// Sets the time of the last use, which lists show. `time` has the form of
    /// [`SessionInfo::updated_at`]. A copy of a session keeps its time so; the next use gives it
    /// another one.
    ///
    /// The default does nothing: a copy then has the time at which it was made.
    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        let _ = time;
        Box::pin(async { Ok(()) })
    }

    /// Makes the added records durable. They survive a loss of power when this returns. It is
    /// called at the end of every turn, before the client gets the answer, and before the log is
    /// closed.
    fn commit(&mut self) -> Pending<'_, ()>;

    /// Closes the session. Others can open it when this returns, unless the store could not be
    /// reached. If the call is given up, they can a little later.
    ///
    /// The default drops the log. Implement it if closing has to wait for something.
    fn close(self: Box<Self>) -> Pending<'static, ()> {
        drop(self);
        Box::pin(async { Ok(()) })
    }
}

/// The records of a session, oldest first.
pub trait Records: Send + 'static {
    /// Returns the next few records; none at the end.
    ///
    /// After an error, and after a call that was given up, it goes on where it was or fails. It
    /// never leaves records out.
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

    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        (**self).delete_older_than(time)
    }

    fn delete_unused_for(&self, age: Duration) -> Pending<'_, u64> {
        (**self).delete_unused_for(age)
    }

    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        (**self).for_principal(principal)
    }
}
