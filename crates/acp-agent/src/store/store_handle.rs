//! Handles on a store.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::FlushBarrier;
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use super::idle::Idle;
use super::keeps::Keeps;
use super::recorder::Recording;
use super::unreadable::Unreadable;
use super::{Recorder, SessionStore, StoreError, StoredState};
use crate::error::{Error, OnFault, Result};

/// A connection's handle on the store of its sessions.
#[derive(Clone)]
pub(crate) struct StoreHandle {
    store: Arc<dyn SessionStore>,
    recordings: Arc<Mutex<Vec<Recording>>>,
    on_fault: Option<OnFault>,
    idle: Arc<Idle>,
    keeps: Keeps,
}

impl StoreHandle {
    /// Creates the handle of one connection, if this program can keep sessions. The connection has
    /// the sessions of the principal, if it has one.
    pub(crate) fn new(
        store: Arc<dyn SessionStore>,
        principal: Option<&str>,
        on_fault: Option<OnFault>,
    ) -> Result<Option<Self>> {
        let Some(keeps) = Keeps::here() else { return Ok(None) };
        let store = match principal {
            Some(principal) => store.for_principal(principal)?,
            None => store,
        };
        let (recordings, idle) = (Arc::default(), Arc::default());
        Ok(Some(StoreHandle { store, recordings, on_fault, idle, keeps }))
    }

    /// Returns the barrier that holds updates back until they are written.
    pub(crate) fn flush_barrier(&self) -> FlushBarrier {
        let store = self.clone();
        FlushBarrier::new(move || {
            let waits: Vec<_> = store.recordings().iter().filter_map(Recording::written_ahead).collect();
            if waits.is_empty() {
                return None;
            }
            Some(Box::pin(async move {
                for written in waits {
                    written.await;
                }
            }))
        })
    }

    /// Keeps a new session.
    pub(crate) async fn create(&self, id: &SessionId, cwd: &str, directories: &[String]) -> Result<Recorder> {
        let info = SessionInfo::new(id.clone(), cwd).additional_directories(directories.to_vec());
        Ok(self.record(self.store.create(info).await?))
    }

    /// Opens a session again, which goes on where it was (rule `v1-load-07`). A session that is
    /// already `open` on this connection goes on behind the records that others have added
    /// meanwhile.
    pub(crate) async fn reopen(&self, open: Option<Recorder>, id: &SessionId, cwd: &str) -> Result<Recorder> {
        let Some(recorder) = open else { return self.open(id, cwd).await };
        check_cwd(recorder.info(), cwd)?;
        recorder.take_up().await?;
        Ok(recorder)
    }

    async fn open(&self, id: &SessionId, cwd: &str) -> Result<Recorder> {
        let log = self.store.open(id).await?;
        if let Err(error) = check_cwd(log.info(), cwd) {
            // The client's error is the one to return.
            let _ = log.close().await;
            return Err(error);
        }
        Ok(self.record(log))
    }

    fn record(&self, log: Box<dyn super::SessionLog>) -> Recorder {
        let (store, on_fault) = (Arc::clone(&self.store), self.on_fault.clone());
        let (recorder, recording) = Recorder::start(store, log, &self.idle, on_fault, self.keeps);
        let mut recordings = self.recordings();
        recordings.retain(|recording| !recording.is_over());
        recordings.push(recording);
        recorder
    }

    /// Reads the state of a session that need not be `open` on this connection. A session that is
    /// not stored has none.
    pub(crate) async fn state(&self, open: Option<Recorder>, id: &SessionId) -> Result<StoredState> {
        if let Some(recorder) = open {
            return recorder.state().await;
        }
        let unreadable = Unreadable::new(self.on_fault.clone(), id.clone());
        match self.store.read(id).await {
            Ok(records) => Ok(StoredState::scan(records, &unreadable).await?),
            Err(StoreError::Unknown { .. } | StoreError::Id { .. }) => Ok(StoredState::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Closes all sessions, also those that were just being opened or closed. They are then
    /// durable, and can be opened elsewhere.
    pub(crate) async fn close(&self) {
        let recordings = std::mem::take(&mut *self.recordings());
        // All at once: each may have to wait for its store.
        recordings.iter().for_each(Recording::begin_close);
        for recording in recordings {
            recording.closed().await;
        }
    }

    fn recordings(&self) -> MutexGuard<'_, Vec<Recording>> {
        self.recordings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        Ok(self.store.list(request).await?)
    }

    /// Deletes a session. It need not exist (rule `v1-del-02`).
    pub(crate) async fn delete(&self, id: &SessionId) -> Result<()> {
        match self.store.delete(id).await {
            Ok(()) | Err(StoreError::Unknown { .. } | StoreError::Id { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Refuses a working directory other than the session's.
fn check_cwd(info: &SessionInfo, cwd: &str) -> Result<()> {
    if info.cwd.is_empty() || Path::new(&info.cwd) == Path::new(cwd) {
        return Ok(());
    }
    Err(Error::invalid_params(format!(
        "`cwd`: session `{}` has another working directory: `session/list` names it",
        info.session_id,
    )))
}

impl fmt::Debug for StoreHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreHandle").finish_non_exhaustive()
    }
}
