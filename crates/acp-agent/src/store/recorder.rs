//! From what is sent to what is stored.

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use acp_rpc::Encode as _;
use acp_types::Maybe;
use acp_types::v1::{ContentBlock, SessionId, SessionInfo, SessionUpdate};
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::idle::Idle;
use super::kept::Kept;
use super::replay::replay;
use super::unreadable::Unreadable;
use super::writer::{Done, Job, Waiting, Writer};
use super::{History, RecordKind, Records, SessionLog, SessionStore, StoreError};
use crate::client::Client;
use crate::error::{OnFault, Result};
use crate::wire::gate::Gate;

/// A title that is made of a prompt ends here, in characters.
const TITLE: usize = 80;

/// Records a session. The last one that is dropped closes it.
#[derive(Clone)]
pub(crate) struct Recorder {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn SessionStore>,
    /// As it was when the session was opened.
    info: SessionInfo,
    /// Those that it was opened with last, beside its working directory.
    directories: Mutex<Vec<String>>,
    unreadable: Unreadable,
    waiting: Arc<Waiting>,
    writes_ahead: bool,
    jobs: UnboundedSender<Job>,
}

impl Recorder {
    /// Starts to record. What is stored is written by a task of its own.
    pub(super) fn start(
        store: Arc<dyn SessionStore>,
        log: Box<dyn SessionLog>,
        idle: &Arc<Idle>,
        on_fault: Option<OnFault>,
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
        (Recorder { inner: Arc::new(inner) }, recording)
    }

    /// What was known of the session when it was opened.
    pub(crate) fn info(&self) -> &SessionInfo {
        &self.inner.info
    }

    /// Begins a turn: records the user's message, of which the first one gives the session its title.
    ///
    /// It is written when this is done if the store writes ahead, or has failed before: no turn runs which cannot be
    /// kept.
    pub(crate) async fn begin_turn(&self, blocks: &[ContentBlock]) -> Result<()> {
        let is_untried = self.ask(|done| Job::BeginTurn { done }).await?.unwrap_or_default();
        let turn = self.inner.waiting.room.turn().await;
        if let Some(records) = self.inner.waiting.blocks().as_mut() {
            let is_first = records.is_empty();
            let text = records.add(RecordKind::Prompt, |text| blocks.encode(text));
            self.taken(text.map_err(StoreError::other)?.len(), is_first);
        }
        drop(turn);
        if let Some(title) =
            title_of(blocks).filter(|_| !self.inner.waiting.titled.swap(true, Ordering::AcqRel))
        {
            self.tell(Job::SetTitle(Some(title)));
        }
        if is_untried || self.inner.writes_ahead { self.written(false).await } else { Ok(()) }
    }

    /// The turn is over, however it ended.
    pub(crate) fn end_turn(&self) {
        self.tell(Job::EndTurn);
    }

    /// Goes on behind whatever is stored, also if somebody else has written it or this one has failed.
    pub(crate) async fn take_up(&self) -> Result<()> {
        self.done(|done| Job::TakeUp { done }).await
    }

    /// Whether an update can be kept without waiting.
    pub(crate) fn has_room(&self) -> bool {
        self.inner.waiting.room.is_free()
    }

    /// Makes an update ready to leave, when there is room for it: when it leaves, it is recorded.
    pub(crate) async fn keep<'a>(&'a self, gate: &'a Gate, update: &'a SessionUpdate) -> Kept<'a> {
        Kept::new(self, gate, update, Some(self.inner.waiting.room.turn().await))
    }

    /// The same whether there is room or not.
    pub(crate) fn keep_now<'a>(&'a self, gate: &'a Gate, update: &'a SessionUpdate) -> Kept<'a> {
        Kept::new(self, gate, update, None)
    }

    /// Records an update, of which this is the text. Says whether the gate was open; else it does not.
    pub(super) fn record(&self, gate: &Gate, update: &SessionUpdate, text: &[u8]) -> bool {
        {
            // The lock makes the check of the gate and what follows it one step.
            let mut blocks = self.inner.waiting.blocks();
            if gate.is_closed() {
                return false;
            }
            // What comes after the session was closed is no part of it.
            if let Some(blocks) = blocks.as_mut() {
                let is_first = blocks.is_empty();
                blocks.push(RecordKind::Update, text);
                self.taken(text.len(), is_first);
            }
        }
        if let SessionUpdate::SessionInfoUpdate(info) = update {
            let title = match &info.title {
                Maybe::Absent => return true,
                Maybe::Null => None,
                Maybe::Value(title) => Some(title.clone()),
            };
            self.inner.waiting.titled.store(true, Ordering::Release);
            self.tell(Job::SetTitle(title));
        }
        true
    }

    /// Keeps the directories that the session was opened with, beside its working directory: lists tell them from here
    /// on.
    pub(crate) async fn set_directories(&self, directories: &[String]) -> Result<()> {
        {
            let mut known = self.inner.directories.lock().unwrap_or_else(PoisonError::into_inner);
            if *known == directories {
                return Ok(());
            }
            *known = directories.to_vec();
        }
        self.tell(Job::SetDirectories(directories.to_vec()));
        self.written(false).await
    }

    /// Waits until everything up to here is durable.
    pub(crate) async fn commit(&self) -> Result<()> {
        self.written(true).await
    }

    /// Closes the session: it is durable, and can be opened elsewhere.
    pub(crate) async fn close(&self) -> Result<()> {
        self.done(|done| Job::Close { done }).await
    }

    /// What is recorded up to here.
    pub(crate) async fn history(&self) -> Result<History> {
        Ok(History::of(self.records().await?, self.inner.unreadable.clone()))
    }

    /// Sends what is recorded up to here to a client that loads the session.
    pub(crate) async fn replay(&self, client: &Client) -> Result<()> {
        replay(self.records().await?, self.session_id(), client, &self.inner.unreadable).await
    }

    /// What is recorded up to here, as the store gives it.
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

    /// `None` when the writer has ended before: the session was closed, and durable then.
    async fn ask<T>(&self, job: impl FnOnce(Done<T>) -> Job) -> Result<Option<T>> {
        let (done, outcome) = oneshot::channel();
        self.tell(job(done));
        Ok(outcome.await.ok().transpose()?)
    }

    /// A record has been added, under the lock.
    fn taken(&self, bytes: usize, is_first: bool) {
        self.inner.waiting.room.take(bytes);
        if is_first {
            self.tell(Job::Append);
        }
    }

    /// Without a writer the session is closed, and there is nothing to do.
    fn tell(&self, job: Job) {
        let _ = self.inner.jobs.send(job);
    }
}

/// A session that is recorded, as the connection sees it, whoever else has it.
pub(crate) struct Recording {
    jobs: WeakUnboundedSender<Job>,
    /// What updates wait for before they leave, where they do.
    ahead: Option<Arc<Waiting>>,
    writer: JoinHandle<()>,
}

impl Recording {
    /// Whether it was closed.
    pub(crate) fn is_over(&self) -> bool {
        self.writer.is_finished()
    }

    /// Waits until what is recorded by now is written; `None` if it is.
    pub(crate) fn written_ahead(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        self.ahead.as_ref()?.room.passed()
    }

    /// Waits until it is closed, which it may be already.
    pub(crate) async fn close(self) {
        if let Some(jobs) = self.jobs.upgrade() {
            // Nobody is left to be told how it went.
            let _ = jobs.send(Job::Close { done: oneshot::channel().0 });
        }
        let _ = self.writer.await;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}

/// The first line of the message, or its beginning.
fn title_of(blocks: &[ContentBlock]) -> Option<String> {
    let text = blocks.iter().find_map(ContentBlock::as_text)?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => Some(format!("{}…", line.get(..end)?.trim_end())),
        None => Some(line.to_owned()),
    }
}
