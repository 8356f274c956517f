//! The task that writes the records of a session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::SessionId;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::block::Blocks;
use super::byte_budget::ByteBudget;
use super::idle::IdlePlace;
use super::{Loss, Record, RecordKind, SessionLog, SessionStore, StoreError};
use crate::client::cancel::Cancel;

/// The number of bytes that may wait to be written for each session. Senders wait when it is used
/// up.
const BUDGET: u64 = 1024 * 1024;

/// The channel for the outcome of a job.
pub(super) type Done<T = ()> = oneshot::Sender<Result<T, StoreError>>;

/// A job of the writer. Before any of them, it writes the waiting records.
pub(super) enum Job {
    /// Does nothing more.
    Append,
    SetTitle(Option<String>),
    SetDirectories(Vec<String>),
    /// Holds the log until the turn is over, and reports whether nothing was written since it was
    /// opened again. Earlier failures do not count any more.
    BeginTurn {
        turn: Cancel,
        done: Done<bool>,
    },
    EndTurn,
    /// Goes on behind the stored records, whoever wrote them.
    TakeUp {
        done: Done,
    },
    /// Reports the outcome so far, after making it durable if asked to.
    Write {
        durable: bool,
        done: Done,
    },
    /// Reads the session's state. `None` means that the log does not know it, or was let go of.
    State {
        done: Done<Option<Vec<Record>>>,
    },
    /// Lets go of the log while nothing is to be written.
    LetGo,
    Close {
        done: Done,
    },
}

/// Records on their way to the writer.
pub(super) struct Waiting {
    /// `None` once the session is closed.
    blocks: Mutex<Option<Blocks>>,
    pub(super) budget: ByteBudget,
    /// Set if the session has a title, or is about to have one. It then needs none of a prompt.
    pub(super) titled: AtomicBool,
}

impl Waiting {
    pub(super) fn new(is_titled: bool) -> Self {
        let (blocks, budget) = (Mutex::new(Some(Blocks::default())), ByteBudget::new(BUDGET));
        Waiting { blocks, budget, titled: AtomicBool::new(is_titled) }
    }

    pub(super) fn blocks(&self) -> MutexGuard<'_, Option<Blocks>> {
        // The blocks are whole before each record, whatever became of the last one.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all blocks.
    fn take(&self) -> Blocks {
        self.blocks().as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Writes records in order, until the session is closed or nobody records it any more.
pub(super) struct Writer {
    store: Arc<dyn SessionStore>,
    session: SessionId,
    /// `None` after the log was let go of, or has failed. It is opened anew when there is something
    /// to write.
    log: Option<Box<dyn SessionLog>>,
    /// The end of the session when the log was let go of. If it ends elsewhere now, somebody else
    /// has written.
    left_at: Option<u64>,
    waiting: Arc<Waiting>,
    place: IdlePlace,
    /// The turn that runs, until it ends.
    turn: Option<Cancel>,
    /// Set if a title is stored.
    is_titled: bool,
    /// Set if the log was opened again or its store was not available, and no record was added
    /// since.
    untried: bool,
    /// Set if something is written that is not durable.
    dirty: bool,
    /// The reason why the rest of this turn is not written. A record after a missing one would be
    /// worse than none.
    broken: Option<StoreError>,
    /// The last settings, if they could not be written. They count until there are others, so the
    /// next turn writes them.
    unwritten: Option<Record>,
}

impl Writer {
    pub(super) fn new(
        store: Arc<dyn SessionStore>,
        log: Box<dyn SessionLog>,
        waiting: Arc<Waiting>,
        place: IdlePlace,
    ) -> Self {
        let info = log.info();
        let (session, is_titled) = (info.session_id.clone(), info.title.is_some());
        Writer {
            store,
            session,
            log: Some(log),
            left_at: None,
            waiting,
            place,
            turn: None,
            is_titled,
            untried: false,
            dirty: false,
            broken: None,
            unwritten: None,
        }
    }

    pub(super) async fn run(mut self, mut jobs: UnboundedReceiver<Job>) {
        self.rest();
        loop {
            let job = tokio::select! {
                biased;
                job = jobs.recv() => job,
                error = self.lost() => {
                    self.note(Err(error)).await;
                    self.give_up();
                    continue;
                }
            };
            let Some(job) = job else { break };
            self.append().await;
            match job {
                Job::Append => {}
                Job::SetTitle(title) => self.set_title(title).await,
                Job::SetDirectories(directories) => self.set_directories(directories).await,
                Job::BeginTurn { turn, done } => {
                    self.begin_turn(turn).await;
                    let _ = done.send(self.outcome().map(|()| self.untried));
                }
                Job::EndTurn => self.turn = None,
                Job::TakeUp { done } => {
                    let _ = done.send(self.take_up().await);
                }
                Job::Write { durable, done } => {
                    let _ = done.send(self.finish(durable).await);
                }
                Job::State { done } => {
                    let _ = done.send(self.state().await);
                }
                Job::LetGo => {
                    if self.turn.is_none() && self.finish(self.dirty).await.is_ok() {
                        self.let_go().await;
                    }
                }
                Job::Close { done } => {
                    // Before the answer, because its receiver may open the session elsewhere.
                    let outcome = self.close().await;
                    let _ = done.send(outcome);
                    return;
                }
            }
            self.rest();
        }
        let _ = self.close().await;
    }

    /// Makes everything durable and closes the session. The first error counts.
    async fn close(mut self) -> Result<(), StoreError> {
        let finished = self.finish(true).await;
        let Some(log) = self.log.take() else { return finished };
        drop(self);
        finished.and(log.close().await)
    }

    async fn append(&mut self) {
        let blocks = self.waiting.take();
        let bytes = blocks.len();
        if bytes == 0 {
            return;
        }
        let appended = match blocks.into_records() {
            Ok(records) => self.try_append(records).await,
            Err(error) => Err(error),
        };
        self.note(appended).await;
        self.waiting.budget.give_back(bytes);
    }

    async fn try_append(&mut self, records: Vec<Record>) -> Result<(), StoreError> {
        if let Some(settings) = records.iter().rfind(|record| record.kind() == RecordKind::Settings) {
            self.unwritten = Some(settings.clone());
        }
        self.outcome()?;
        self.dirty = true;
        self.log().await?.append(records).await?;
        self.untried = false;
        self.unwritten = None;
        Ok(())
    }

    async fn set_title(&mut self, title: Option<String>) {
        let is_title = title.is_some();
        if self.broken.is_none() {
            let set = self.try_set_title(title).await;
            self.note(set).await;
        }
        match self.broken {
            None => self.is_titled = is_title,
            // The next prompt gives the session a title, if it has none.
            Some(_) => self.waiting.titled.store(self.is_titled, Ordering::Release),
        }
    }

    async fn set_directories(&mut self, directories: Vec<String>) {
        if self.broken.is_none() {
            let set = self.try_set_directories(directories).await;
            self.note(set).await;
        }
    }

    async fn try_set_directories(&mut self, directories: Vec<String>) -> Result<(), StoreError> {
        let log = self.log().await?;
        if log.info().additional_directories == directories {
            return Ok(());
        }
        let set = log.set_additional_directories(directories).await;
        self.dirty = true;
        set
    }

    async fn try_set_title(&mut self, title: Option<String>) -> Result<(), StoreError> {
        let log = self.log().await?;
        if log.info().title == title {
            return Ok(());
        }
        let set = log.set_title(title).await;
        self.dirty = true;
        set
    }

    async fn begin_turn(&mut self, turn: Cancel) {
        self.turn = Some(turn);
        self.place.leave();
        self.broken = None;
        let begun = self.go_on().await;
        self.note(begun).await;
    }

    /// Opens the log, and writes the settings that it lacks.
    async fn go_on(&mut self) -> Result<(), StoreError> {
        self.log().await?;
        match self.unwritten.clone() {
            Some(settings) => self.try_append(vec![settings]).await,
            None => Ok(()),
        }
    }

    async fn take_up(&mut self) -> Result<(), StoreError> {
        if self.log.is_none() {
            let left_at = self.left_at.take();
            let opened = self.log().await.map(|_| ());
            if opened.is_err() {
                self.left_at = left_at;
            }
            opened?;
        } else if self.turn.is_some() || self.broken.is_none() {
            return Ok(());
        }
        self.broken = None;
        // The session has the stored settings from here on.
        self.unwritten = None;
        Ok(())
    }

    async fn state(&mut self) -> Result<Option<Vec<Record>>, StoreError> {
        self.outcome()?;
        match &mut self.log {
            Some(log) => log.state().await,
            // To read a session, nobody needs its log.
            None => Ok(None),
        }
    }

    async fn finish(&mut self, durable: bool) -> Result<(), StoreError> {
        if durable
            && self.broken.is_none()
            && let Some(log) = &mut self.log
        {
            let committed = log.commit().await;
            self.dirty = false;
            self.note(committed).await;
        }
        self.outcome()
    }

    fn outcome(&self) -> Result<(), StoreError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// Returns the log, and opens it again if it was let go of.
    async fn log(&mut self) -> Result<&mut dyn SessionLog, StoreError> {
        let log = match self.log.take() {
            Some(log) => log,
            None => self.reopened().await?,
        };
        Ok(&mut **self.log.insert(log))
    }

    async fn reopened(&mut self) -> Result<Box<dyn SessionLog>, StoreError> {
        let log = self.store.open(&self.session).await?;
        if let (Some(left_at), Some(found)) = (self.left_at, log.position())
            && left_at != found
        {
            // The client's error is the one to return.
            let _ = log.close().await;
            return Err(StoreError::Changed { session: self.session.clone() });
        }
        self.untried = true;
        Ok(log)
    }

    /// Notes an outcome. A log that has failed is not called again, unless its store was only not
    /// available: the log then knows what it has added.
    async fn note(&mut self, outcome: Result<(), StoreError>) {
        let Err(error) = outcome else { return };
        if matches!(error, StoreError::Unavailable { .. }) {
            self.untried = true;
        } else {
            self.let_go().await;
        }
        if matches!(error, StoreError::Changed { .. }) {
            self.give_up();
        }
        self.broken = Some(error);
    }

    /// Waits until the session of the turn that runs is lost. It stays pending without such a turn,
    /// and after a failure.
    fn lost(&self) -> Loss {
        match &self.log {
            Some(log) if self.turn.is_some() && self.broken.is_none() => log.lost(),
            _ => Box::pin(std::future::pending()),
        }
    }

    /// Ends the turn that runs: nothing more of it would be kept. Its answer is the failure.
    fn give_up(&self) {
        if let Some(turn) = &self.turn {
            turn.give_up();
        }
    }

    async fn let_go(&mut self) {
        self.place.leave();
        if let Some(log) = self.log.take() {
            self.left_at = log.position();
            // A session that could not be closed can be opened elsewhere a little later.
            let _ = log.close().await;
        }
    }

    /// Enters the log among the idle ones if the session can do without it. A store without
    /// positions could not notice that somebody else has written to the session.
    fn rest(&self) {
        if self.turn.is_none() && self.log.as_ref().is_some_and(|log| log.position().is_some()) {
            self.place.take();
        }
    }
}

/// Closes the blocks, also if the runtime drops the writer. Later records are not part of the
/// session.
impl Drop for Writer {
    fn drop(&mut self) {
        *self.waiting.blocks() = None;
        self.waiting.budget.close();
    }
}
