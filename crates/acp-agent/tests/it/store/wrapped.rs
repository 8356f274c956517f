//! Stores around a journal, in whose work a test has a say.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_agent::store::{Journal, Pending, Record, Records, SessionLog, SessionStore, StoreError};
use acp_agent::types::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use tokio::sync::Semaphore;

/// The say of a test. Without one, this is a store with the required methods only.
pub(super) trait Hooks: Send + Sync + 'static {
    fn writes_ahead(&self) -> bool {
        false
    }

    /// Returns whether the log gives its state and its position, as that of the journal does.
    fn is_whole(&self) -> bool {
        false
    }

    /// Runs before a session is opened.
    fn open(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Runs before records are added, and returns those that are.
    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        Box::pin(async { Ok(records) })
    }

    fn set_directories(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Runs before a commit.
    fn commit(&self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn committed(&self) {}

    /// Runs before a session is closed.
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn list(&self) {}

    fn read(&self, batch: &[Record]) {
        let _ = batch;
    }
}

/// A journal with hooks, which are its target.
pub(super) struct Wrapped<H> {
    journal: Journal,
    hooks: Arc<H>,
}

impl<H> Wrapped<H> {
    pub(super) fn new(journal: Journal, hooks: H) -> Self {
        Wrapped { journal, hooks: Arc::new(hooks) }
    }

    fn around<T>(&self, inner: T) -> Around<T, H> {
        Around { inner, hooks: Arc::clone(&self.hooks) }
    }
}

impl<H> Clone for Wrapped<H> {
    fn clone(&self) -> Self {
        Wrapped { journal: self.journal.clone(), hooks: Arc::clone(&self.hooks) }
    }
}

impl<H> Deref for Wrapped<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.hooks
    }
}

/// A log, or records, of such a store.
struct Around<T, H> {
    inner: T,
    hooks: Arc<H>,
}

impl<H: Hooks> SessionStore for Wrapped<H> {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(async {
            Ok(Box::new(self.around(self.journal.create(session).await?)) as Box<dyn SessionLog>)
        })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        Box::pin(async {
            self.hooks.open()?;
            Ok(Box::new(self.around(self.journal.open(session).await?)) as Box<dyn SessionLog>)
        })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        Box::pin(async { Ok(Box::new(self.around(self.journal.read(session).await?)) as Box<dyn Records>) })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        self.hooks.list();
        self.journal.list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.journal.delete(session)
    }
}

impl<H: Hooks> SessionLog for Around<Box<dyn SessionLog>, H> {
    fn info(&self) -> &SessionInfo {
        self.inner.info()
    }

    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        if self.hooks.is_whole() { self.inner.state() } else { Box::pin(async { Ok(None) }) }
    }

    fn position(&self) -> Option<u64> {
        self.inner.position().filter(|_| self.hooks.is_whole())
    }

    fn writes_ahead(&self) -> bool {
        self.hooks.writes_ahead()
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(async {
            let records = self.hooks.append(records).await?;
            self.inner.append(records).await
        })
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.inner.set_title(title)
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        Box::pin(async {
            self.hooks.set_directories()?;
            self.inner.set_additional_directories(directories).await
        })
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async {
            self.hooks.commit().await?;
            self.inner.commit().await?;
            self.hooks.committed();
            Ok(())
        })
    }

    fn close(self: Box<Self>) -> Pending<'static, ()> {
        Box::pin(async move {
            self.hooks.close().await?;
            self.inner.close().await
        })
    }
}

impl<H: Hooks> Records for Around<Box<dyn Records>, H> {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async {
            let batch = self.inner.next().await?;
            self.hooks.read(&batch);
            Ok(batch)
        })
    }
}

/// Hooks that write only while there are permits, and fail once they are broken.
pub(super) struct Slow {
    pub(super) ahead: bool,
    pub(super) permits: Semaphore,
    pub(super) broken: AtomicBool,
    pub(super) committed: AtomicBool,
    /// A permit for each list.
    pub(super) listed: Semaphore,
    /// A permit for each time that records were to be added.
    pub(super) asked: Semaphore,
}

impl Slow {
    /// Wraps a journal. The test decides if it writes ahead.
    pub(super) fn around(journal: Journal, ahead: bool) -> Wrapped<Self> {
        let slow = Slow {
            ahead,
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
            broken: AtomicBool::default(),
            committed: AtomicBool::default(),
            listed: Semaphore::new(0),
            asked: Semaphore::new(0),
        };
        Wrapped::new(journal, slow)
    }

    /// Lets nothing more be written.
    pub(super) fn stop(&self) {
        self.permits.forget_permits(Semaphore::MAX_PERMITS);
        self.asked.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Waits until records are to be added.
    pub(super) async fn asked(&self) {
        self.asked.acquire().await.unwrap().forget();
    }

    /// Lets it write again, or fail.
    pub(super) fn go_on(&self, broken: bool) {
        self.broken.store(broken, Ordering::SeqCst);
        self.permits.add_permits(1000);
    }
}

impl Hooks for Slow {
    fn writes_ahead(&self) -> bool {
        self.ahead
    }

    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        Box::pin(async {
            self.asked.add_permits(1);
            self.permits.acquire().await.unwrap().forget();
            if self.broken.load(Ordering::SeqCst) {
                return Err(StoreError::other("the disk is full"));
            }
            Ok(records)
        })
    }

    fn set_directories(&self) -> Result<(), StoreError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(StoreError::other("the disk is full"));
        }
        Ok(())
    }

    fn commit(&self) -> Pending<'_, ()> {
        Box::pin(async {
            // A sync takes a while. A caller that does not wait for it gets far ahead.
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            Ok(())
        })
    }

    fn committed(&self) {
        self.committed.store(true, Ordering::SeqCst);
    }

    fn list(&self) {
        self.listed.add_permits(1);
    }
}
