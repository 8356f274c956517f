//! Recorders, which keep the prompts and updates of a session.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::Maybe;
use acp_types::v1::{ContentBlock, MessageId, SessionId, SessionInfo, SessionUpdate};
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::idle::Idle;
use super::keeps::Keeps;
use super::recorded_update::RecordedUpdate;
use super::replay::replay;
use super::unreadable::Unreadable;
use super::writer::{Done, Job, Waiting, Writer};
use super::{History, RecordKind, Records, SessionLog, SessionStore, StoreError, StoredState};
use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::error::{OnFault, Result};
use crate::wire::gate::Gate;
use crate::wire::record::write_prompt;
use crate::wire::update::UpdateParams;

/// The length in characters at which a title is cut that is made of a prompt.
const TITLE: usize = 80;

/// Records a session. The drop of the last clone closes it.
#[derive(Clone)]
pub(crate) struct Recorder {
    inner: Arc<Inner>,
    keeps: Keeps,
}

struct Inner {
    store: Arc<dyn SessionStore>,
    /// The session as it was when it was opened.
    info: SessionInfo,
    /// The directories that it was opened with last, besides its working directory.
    directories: Mutex<Vec<String>>,
    unreadable: Unreadable,
    waiting: Arc<Waiting>,
    writes_ahead: bool,
    jobs: UnboundedSender<Job>,
}

impl Recorder {
    /// Starts to record. A task of its own writes the records.
    pub(super) fn start(
        store: Arc<dyn SessionStore>,
        log: Box<dyn SessionLog>,
        idle: &Arc<Idle>,
        on_fault: Option<OnFault>,
        keeps: Keeps,
    ) -> (Self, Recording) {
        let (jobs, queue) = unbounded_channel();
        let info = log.info().clone();
        let waiting = Arc::new(Waiting::new(info.title.is_some()));
        let writes_ahead = log.writes_ahead();
        let ahead = writes_ahead.then(|| Arc::clone(&waiting));
        let place = idle.place(jobs.downgrade());
        let writer = Writer::new(Arc::clone(&store), log, Arc::clone(&waiting), place);
        let writer = tokio::spawn(writer.run(queue));
        let recording = Recording { jobs: jobs.downgrade(), ahead, writer };
        let directories = Mutex::new(info.additional_directories.clone());
        let unreadable = Unreadable::new(on_fault, info.session_id.clone());
        let inner = Inner { store, info, directories, unreadable, waiting, writes_ahead, jobs };
        (Recorder { inner: Arc::new(inner), keeps }, recording)
    }

    /// Returns the session as it was when it was opened.
    pub(crate) fn info(&self) -> &SessionInfo {
        &self.inner.info
    }

    /// Begins a turn: records the user's message. The first message gives the session its title.
    ///
    /// If the store writes ahead, or has failed before, the message is written when this returns.
    /// No turn runs that cannot be kept: the turn is cancelled once its session is lost.
    pub(crate) async fn begin_turn(
        &self,
        blocks: &[ContentBlock],
        message_id: Option<&MessageId>,
        turn: &Cancel,
    ) -> Result<()> {
        let turn = turn.clone();
        let is_untried = self.ask(|done| Job::BeginTurn { turn, done }).await?.unwrap_or_default();
        let permit = self.inner.waiting.budget.permit().await;
        self.message(blocks, message_id)?;
        drop(permit);
        if let Some(title) =
            title_of(blocks).filter(|_| !self.inner.waiting.titled.swap(true, Ordering::AcqRel))
        {
            self.send(Job::SetTitle(Some(title)));
        }
        if is_untried || self.inner.writes_ahead { self.written(false).await } else { Ok(()) }
    }

    /// Records a message of the user, whether there is room for it or not.
    pub(crate) fn message(&self, blocks: &[ContentBlock], message_id: Option<&MessageId>) -> Result<()> {
        if let Some(records) = self.inner.waiting.blocks().as_mut() {
            let is_first = records.is_empty();
            let text = records.add(RecordKind::Prompt, |text| write_prompt(blocks, message_id, text));
            self.taken(text.map_err(StoreError::other)?.len(), is_first);
        }
        Ok(())
    }

    /// Ends the turn, however it went.
    pub(crate) fn end_turn(&self) {
        self.send(Job::EndTurn);
    }

    /// Goes on behind the stored records, even if somebody else has written them or this recorder
    /// has failed.
    pub(crate) async fn take_up(&self) -> Result<()> {
        self.done(|done| Job::TakeUp { done }).await
    }

    /// Waits until there is room for a record.
    pub(crate) async fn room(&self) {
        drop(self.inner.waiting.budget.permit().await);
    }

    /// Returns whether an update can be recorded without waiting.
    pub(crate) fn has_room(&self) -> bool {
        self.inner.waiting.budget.is_free()
    }

    /// Prepares an update to leave, once there is room for it. It is recorded when it leaves.
    pub(crate) async fn keep<'a>(&'a self, gate: &'a Gate, update: UpdateParams<'a>) -> RecordedUpdate<'a> {
        RecordedUpdate::new(self, gate, update, Some(self.inner.waiting.budget.permit().await), self.keeps)
    }

    /// Prepares an update to leave, whether there is room for it or not.
    pub(crate) fn keep_now<'a>(&'a self, gate: &'a Gate, update: UpdateParams<'a>) -> RecordedUpdate<'a> {
        RecordedUpdate::new(self, gate, update, None, self.keeps)
    }

    /// Records an update with this kind and text if the gate is open, and the settings that it
    /// changes. Returns whether it was open.
    ///
    /// `settings` notes the change and returns all settings. It runs under the lock of the records,
    /// so that the last record has the last settings, whoever changes them.
    pub(super) fn record(
        &self,
        gate: &Gate,
        update: &SessionUpdate,
        (kind, text): (RecordKind, &[u8]),
        settings: impl FnOnce() -> Option<Arc<str>>,
    ) -> bool {
        {
            // Under the lock, so that the check of the gate and the rest are one step.
            let mut blocks = self.inner.waiting.blocks();
            if gate.is_closed() {
                return false;
            }
            let settings = settings();
            // An update that comes after the end of the session is not part of it.
            if let Some(blocks) = blocks.as_mut() {
                let is_first = blocks.is_empty();
                blocks.push(kind, text);
                self.taken(text.len(), is_first);
                if let Some(settings) = settings {
                    blocks.push(RecordKind::Settings, settings.as_bytes());
                    self.taken(settings.len(), false);
                }
            }
        }
        if let SessionUpdate::SessionInfoUpdate(info) = update {
            let title = match &info.title {
                Maybe::Absent => return true,
                Maybe::Null => None,
                Maybe::Value(title) => Some(title.clone()),
            };
            self.inner.waiting.titled.store(true, Ordering::Release);
            self.send(Job::SetTitle(title));
        }
        true
    }

    /// Keeps the directories that the session was opened with, besides its working directory. Lists
    /// show them from here on.
    pub(crate) async fn set_directories(&self, directories: &[String]) -> Result<()> {
        if *self.directories() == directories {
            return Ok(());
        }
        self.send(Job::SetDirectories(directories.to_vec()));
        self.written(false).await?;
        *self.directories() = directories.to_vec();
        Ok(())
    }

    fn directories(&self) -> MutexGuard<'_, Vec<String>> {
        self.inner.directories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a part of the session's state. It is written when this returns. `json` returns its
    /// text under the lock of the records, when it is its turn.
    pub(crate) async fn keep_state<J: AsRef<str>>(
        &self,
        kind: RecordKind,
        json: impl FnOnce() -> J + Send,
    ) -> Result<(), StoreError> {
        let permit = self.inner.waiting.budget.permit().await;
        let is_open = self.keep_state_now(kind, json);
        drop(permit);
        let written =
            if is_open { self.ask_store(|done| Job::Write { durable: false, done }).await? } else { None };
        written.ok_or_else(|| StoreError::Closed { session: self.session_id().clone() })
    }

    /// Records a part of the session's state like [`keep_state`](Self::keep_state), without waiting
    /// for anything. Returns whether the session is open.
    pub(crate) fn keep_state_now<J: AsRef<str>>(&self, kind: RecordKind, json: impl FnOnce() -> J) -> bool {
        let mut blocks = self.inner.waiting.blocks();
        let Some(blocks) = blocks.as_mut() else { return false };
        let json = json();
        let is_first = blocks.is_empty();
        blocks.push(kind, json.as_ref().as_bytes());
        self.taken(json.as_ref().len(), is_first);
        true
    }

    /// Reads the session's state up to here.
    pub(crate) async fn state(&self) -> Result<StoredState> {
        match self.ask(|done| Job::State { done }).await?.flatten() {
            Some(records) => Ok(StoredState::of(records, &self.inner.unreadable)),
            None => Ok(StoredState::scan(self.records().await?, &self.inner.unreadable).await?),
        }
    }

    /// Waits until everything up to here is durable.
    pub(crate) async fn commit(&self) -> Result<()> {
        self.written(true).await
    }

    /// Closes the session. It is then durable, and can be opened elsewhere.
    pub(crate) async fn close(&self) -> Result<()> {
        self.done(|done| Job::Close { done }).await
    }

    /// Returns the history up to here.
    pub(crate) async fn history(&self) -> Result<History> {
        Ok(History::of(self.records().await?, self.inner.unreadable.clone()))
    }

    /// Sends the history up to here to a client that loads the session.
    pub(crate) async fn replay(&self, client: &Client) -> Result<()> {
        replay(self.records().await?, self.session_id(), client, &self.inner.unreadable).await
    }

    /// Returns the records up to here, as the store gives them.
    async fn records(&self) -> Result<Box<dyn Records>> {
        self.written(false).await?;
        Ok(self.inner.store.read(&self.inner.info.session_id).await?)
    }

    pub(crate) fn session_id(&self) -> &SessionId {
        &self.inner.info.session_id
    }

    async fn written(&self, durable: bool) -> Result<()> {
        self.done(|done| Job::Write { durable, done }).await
    }

    async fn done(&self, job: impl FnOnce(Done) -> Job) -> Result<()> {
        self.ask(job).await.map(Option::unwrap_or_default)
    }

    /// Asks the writer. Returns `None` if it has ended: the session was closed, and durable then.
    async fn ask<T>(&self, job: impl FnOnce(Done<T>) -> Job) -> Result<Option<T>> {
        Ok(self.ask_store(job).await?)
    }

    async fn ask_store<T>(&self, job: impl FnOnce(Done<T>) -> Job) -> Result<Option<T>, StoreError> {
        let (done, outcome) = oneshot::channel();
        self.send(job(done));
        outcome.await.ok().transpose()
    }

    /// Notes a record that was added, under the lock.
    fn taken(&self, bytes: usize, is_first: bool) {
        self.inner.waiting.budget.take(bytes);
        if is_first {
            self.send(Job::Append);
        }
    }

    /// Sends a job to the writer. Without a writer the session is closed, and there is nothing to
    /// do.
    fn send(&self, job: Job) {
        let _ = self.inner.jobs.send(job);
    }
}

/// A session that is being recorded, as the connection sees it. Others may have recorders of it.
pub(crate) struct Recording {
    jobs: WeakUnboundedSender<Job>,
    /// The records that updates wait for before they leave, if they do.
    ahead: Option<Arc<Waiting>>,
    writer: JoinHandle<()>,
}

impl Recording {
    /// Returns whether the session was closed.
    pub(crate) fn is_over(&self) -> bool {
        self.writer.is_finished()
    }

    /// Waits until the present records are written. Returns `None` if they are.
    pub(crate) fn written_ahead(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        self.ahead.as_ref()?.budget.passed()
    }

    /// Begins to close the session, which may be closed already.
    pub(crate) fn begin_close(&self) {
        if let Some(jobs) = self.jobs.upgrade() {
            // Nobody waits for the outcome.
            let _ = jobs.send(Job::Close { done: oneshot::channel().0 });
        }
    }

    /// Waits until the session is closed.
    pub(crate) async fn closed(self) {
        let _ = self.writer.await;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}

/// Returns the first line of the message, or its beginning.
fn title_of(blocks: &[ContentBlock]) -> Option<String> {
    let text = blocks.iter().find_map(ContentBlock::as_text)?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => Some(format!("{}…", line.get(..end)?.trim_end())),
        None => Some(line.to_owned()),
    }
}
