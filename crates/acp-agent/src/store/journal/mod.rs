//! The store that comes with the library: a file for each session.

mod damage;
mod facts;
mod files;
mod line;
mod list;
mod log;
mod read;
mod state;
mod threads;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use self::damage::Reporter;
pub use self::damage::{Damage, DamageKind};
use self::log::Log;
use self::read::Reader;
use self::threads::READING;
use super::{Pending, Record, Records, SessionLog, SessionStore, StoreError};

/// Sessions in a folder. Each is an append-only file that only the user may read.
///
/// The module explains [its promises](crate::store#the-journal). A clone is cheap.
///
/// ```
/// use acp_agent::store::Journal;
///
/// let journal = Journal::at("/var/lib/my-agent/sessions")
///     .on_damage(|damage| eprintln!("{damage}"));
/// # let _ = journal;
/// ```
#[derive(Clone)]
pub struct Journal {
    /// `None` if the folder is unknown.
    folder: Option<Arc<Path>>,
    /// The folder of the sessions of the principal whose name is empty, below which the others are.
    root: Option<Arc<Path>>,
    reporter: Reporter,
    page_size: usize,
}

impl Journal {
    /// Keeps the sessions in this folder, which is created when it is needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self::new(Some(folder.into()))
    }

    /// Keeps the sessions of this agent and this user: in `sessions` below a folder with the
    /// agent's name in `$XDG_STATE_HOME` or `~/.local/state`, on macOS in `~/Library/Application
    /// Support`, on Windows in `%LOCALAPPDATA%`.
    ///
    /// Without a home directory, every use of it fails with [`StoreError::NoFolder`].
    #[must_use]
    pub fn of_agent(name: &str) -> Self {
        Self::new(files::default_folder(name))
    }

    fn new(folder: Option<PathBuf>) -> Self {
        let folder: Option<Arc<Path>> = folder.map(Arc::from);
        Journal { root: folder.clone(), folder, reporter: Reporter::default(), page_size: 50 }
    }

    /// Sets the receiver of reports about records that could not be read. It is called on a thread
    /// of the journals, where others wait for it, and each time the same damage is met.
    #[must_use]
    pub fn on_damage(mut self, hook: impl Fn(&Damage) + Send + Sync + 'static) -> Self {
        self.reporter = Reporter(Some(Arc::new(hook)));
        self
    }

    /// Sets the number of sessions on a page of a list. The default is 50.
    #[must_use]
    pub fn page_size(mut self, sessions: usize) -> Self {
        self.page_size = sessions.max(1);
        self
    }

    /// Returns the folder of the sessions; `None` if it is unknown.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Runs `work` with the folder, on a thread that may wait for it.
    fn with_folder<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, StoreError> + Send + 'static,
    ) -> Pending<'static, T> {
        let Some(folder) = self.folder.clone() else { return Box::pin(async { Err(StoreError::NoFolder) }) };
        Box::pin(READING.run(move || work(&folder)))
    }
}

impl SessionStore for Journal {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        self.with_folder(move |folder| Ok(Box::new(Log::create(folder, session)?) as Box<dyn SessionLog>))
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        let (session, reporter) = (session.clone(), self.reporter.clone());
        self.with_folder(move |folder| {
            Ok(Box::new(Log::open(folder, &session, &reporter)?) as Box<dyn SessionLog>)
        })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        let (session, reporter) = (session.clone(), self.reporter.clone());
        self.with_folder(move |folder| {
            let path = files::path_of_kept(folder, &session)?;
            let file = files::open_to_read(&path, &session)?;
            let reader = Reader::new(file, 0, path, reporter)?;
            Ok(Box::new(JournalRecords(Some(reader))) as Box<dyn Records>)
        })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        let (request, page_size) = (request.clone(), self.page_size);
        self.with_folder(move |folder| list::list(folder, &request, page_size))
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        let session = session.clone();
        self.with_folder(move |folder| {
            let path = files::path_of_kept(folder, &session)?;
            // Held until the file is gone, so that nobody opens it meanwhile.
            let _alone = files::open_alone(&path, &session, false)?;
            std::fs::remove_file(&path).map_err(|error| StoreError::io("delete", &path, error))
        })
    }

    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        self.with_folder(move |folder| list::delete_older_than(folder, time))
    }

    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        let root = self.root.as_deref();
        let folder = root.map(|root| files::folder_of(root, principal)).transpose()?.map(Arc::from);
        Ok(Arc::new(Journal { folder, ..self.clone() }))
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The records of a session. `None` after a call was given up or has failed, and its reader with
/// it.
struct JournalRecords(Option<Reader>);

impl Records for JournalRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(async move {
            // The records of that call are lost, and the rest must not pass for the whole.
            let mut reader = self.0.take().ok_or_else(|| {
                StoreError::other("an earlier call for records was given up: read them anew")
            })?;
            let reading = READING.run(move || {
                let batch = reader.batch()?;
                Ok((reader, batch))
            });
            let (reader, batch) = reading.await?;
            self.0 = Some(reader);
            Ok(batch)
        })
    }
}
