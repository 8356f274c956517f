//! From what is sent to what is stored.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::Maybe;
use acp_types::v1::{ContentBlock, SessionId, SessionInfo, SessionUpdate};
use serde_core::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, WeakUnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinHandle;

use super::{History, Record, RecordKind, SessionLog, SessionStore, StoreError};
use crate::error::Result;
use crate::gate::Gate;

/// How much, in bytes, may wait to be written for each session. Over it, who sends waits.
const BUDGET: u32 = 1024 * 1024;
/// How many records are written at once, at most.
const BATCH: usize = 1024;
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
    titled: AtomicBool,
    /// The lock makes the check of a gate and what follows it one step.
    queue: Mutex<UnboundedSender<Job>>,
    room: Arc<Semaphore>,
}

enum Job {
    Append(Record, Option<OwnedSemaphorePermit>),
    SetTitle(Option<String>),
    /// Everything before this is to be written, and durable where that is asked for.
    Write {
        durable: bool,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    Close {
        done: oneshot::Sender<Result<(), StoreError>>,
    },
}

impl Recorder {
    /// Starts to record. What is stored is written by a task of its own.
    pub(crate) fn start(store: Arc<dyn SessionStore>, log: Box<dyn SessionLog>) -> (Self, Recording) {
        let (queue, jobs) = unbounded_channel();
        let info = log.info().clone();
        let room = Arc::new(Semaphore::new(BUDGET as usize));
        let titled = AtomicBool::new(info.title.is_some());
        let recording = Recording { queue: queue.downgrade(), writer: tokio::spawn(write(log, jobs)) };
        let inner = Inner { store, info, titled, queue: Mutex::new(queue), room };
        (Recorder { inner: Arc::new(inner) }, recording)
    }

    /// What was known of the session when it was opened.
    pub(crate) fn info(&self) -> &SessionInfo {
        &self.inner.info
    }

    /// Records the user's message; the first one gives the session its title.
    pub(crate) async fn prompt(&self, blocks: &[ContentBlock]) -> Result<()> {
        let record = Record::of(RecordKind::Prompt, blocks)?;
        let room = self.room(&record).await;
        let title = title_of(blocks).filter(|_| !self.inner.titled.swap(true, Ordering::AcqRel));
        self.push(None, Job::Append(record, room), title.map(|title| Job::SetTitle(Some(title))));
        Ok(())
    }

    /// Makes an update ready to leave: when it does, it is recorded.
    pub(crate) async fn keep<'a>(&'a self, gate: &'a Gate, update: &SessionUpdate) -> Result<Kept<'a>> {
        let mut kept = self.keep_now(gate, update)?;
        if kept.stored {
            kept.room = Mutex::new(self.room(&kept.record).await);
        }
        Ok(kept)
    }

    /// The same past the budget.
    pub(crate) fn keep_now<'a>(&'a self, gate: &'a Gate, update: &SessionUpdate) -> Result<Kept<'a>> {
        let record = Record::of(RecordKind::Update, update)?;
        let title = match update {
            SessionUpdate::SessionInfoUpdate(info) => match &info.title {
                Maybe::Absent => None,
                Maybe::Null => Some(None),
                Maybe::Value(title) => Some(Some(title.clone())),
            },
            _ => None,
        };
        // Notices are no part of the conversation and are not replayed (rule `v1-load-05`).
        let stored = !matches!(update, SessionUpdate::Notice(_));
        let (room, recorded) = (Mutex::new(None), AtomicBool::new(!stored));
        Ok(Kept { recorder: self, gate, record, title, stored, room, recorded })
    }

    /// Waits until everything up to here is durable.
    pub(crate) async fn commit(&self) -> Result<()> {
        self.written(true).await
    }

    /// Closes the session: it is durable, and can be opened elsewhere.
    pub(crate) async fn close(&self) -> Result<()> {
        let (done, closed) = oneshot::channel();
        self.push(None, Job::Close { done }, None);
        outcome(closed).await
    }

    /// What is recorded up to here.
    pub(crate) async fn history(&self) -> Result<History> {
        self.written(false).await?;
        Ok(History::new(Some(self.inner.store.read(&self.inner.info.session_id).await?)))
    }

    pub(crate) fn session_id(&self) -> &SessionId {
        &self.inner.info.session_id
    }

    async fn written(&self, durable: bool) -> Result<()> {
        let (done, written) = oneshot::channel();
        self.push(None, Job::Write { durable, done }, None);
        outcome(written).await
    }

    /// Waits for room for a record; one that is larger than all of the room gets all of it.
    async fn room(&self, record: &Record) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(record.json().len()).unwrap_or(BUDGET).min(BUDGET);
        Arc::clone(&self.inner.room).acquire_many_owned(bytes).await.ok()
    }

    /// Hands on jobs unless the gate is closed, and says whether it did.
    fn push(&self, gate: Option<&Gate>, job: Job, and: Option<Job>) -> bool {
        let queue = self.queue();
        if gate.is_some_and(Gate::is_closed) {
            return false;
        }
        for job in std::iter::once(job).chain(and) {
            // Without a writer the session is closed: what comes after that is no part of it.
            let _ = queue.send(job);
        }
        true
    }

    fn queue(&self) -> MutexGuard<'_, UnboundedSender<Job>> {
        self.inner.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that is recorded, as the connection sees it, whoever else has it.
pub(crate) struct Recording {
    queue: WeakUnboundedSender<Job>,
    writer: JoinHandle<()>,
}

impl Recording {
    /// Whether it was closed.
    pub(crate) fn is_over(&self) -> bool {
        self.writer.is_finished()
    }

    /// Waits until it is closed, which it may be already.
    pub(crate) async fn close(self) {
        if let Some(queue) = self.queue.upgrade() {
            // Nobody is left to be told how it went.
            let _ = queue.send(Job::Close { done: oneshot::channel().0 });
        }
        let _ = self.writer.await;
    }
}

/// Without an answer the writer has ended before: the session was closed, and durable then.
async fn outcome(done: oneshot::Receiver<Result<(), StoreError>>) -> Result<()> {
    Ok(done.await.unwrap_or(Ok(()))?)
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("session_id", self.session_id()).finish_non_exhaustive()
    }
}

/// An update that is recorded while it is written to the connection.
///
/// That happens under the lock of the output buffer, so the records have the order of the wire, whoever sends.
/// The text is made once: the same bytes are sent and stored.
pub(crate) struct Kept<'a> {
    recorder: &'a Recorder,
    gate: &'a Gate,
    record: Record,
    title: Option<Option<String>>,
    stored: bool,
    room: Mutex<Option<OwnedSemaphorePermit>>,
    /// A layer of the connection may look at it before it is sent.
    recorded: AtomicBool,
}

impl Kept<'_> {
    /// Says whether it may leave.
    fn record(&self) -> bool {
        if self.recorded.swap(true, Ordering::AcqRel) {
            return !self.gate.is_closed();
        }
        let room = self.room.lock().unwrap_or_else(PoisonError::into_inner).take();
        let title = self.title.clone().map(Job::SetTitle);
        if title.is_some() {
            self.recorder.inner.titled.store(true, Ordering::Release);
        }
        self.recorder.push(Some(self.gate), Job::Append(self.record.clone(), room), title)
    }
}

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        if !self.record() {
            return Err(S::Error::custom(self.gate.error()));
        }
        serialize_update(serializer, self.recorder.session_id(), self.record.raw())
    }
}

/// The params of `session/update`.
pub(super) fn serialize_update<S: Serializer>(
    serializer: S,
    session: &SessionId,
    update: &RawValue,
) -> std::result::Result<S::Ok, S::Error> {
    let mut params = serializer.serialize_map(Some(2))?;
    params.serialize_entry("sessionId", session)?;
    params.serialize_entry("update", update)?;
    params.end()
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

/// Writes what is handed on, in order, until the session is closed or nobody records it any more.
async fn write(log: Box<dyn SessionLog>, mut jobs: UnboundedReceiver<Job>) {
    let mut writer = Writer { log, records: Vec::new(), rooms: Vec::new(), broken: None };
    let mut batch = Vec::new();
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        for job in batch.drain(..) {
            match job {
                Job::Append(record, room) => {
                    writer.records.push(record);
                    writer.rooms.extend(room);
                }
                Job::SetTitle(title) => writer.set_title(title).await,
                Job::Write { durable, done } => {
                    let _ = done.send(writer.finish(durable).await);
                }
                Job::Close { done } => {
                    let outcome = writer.finish(true).await;
                    // Before the answer: who gets it may open the session elsewhere.
                    drop(writer);
                    let _ = done.send(outcome);
                    return;
                }
            }
        }
        writer.append().await;
    }
    let _ = writer.finish(true).await;
}

struct Writer {
    log: Box<dyn SessionLog>,
    records: Vec<Record>,
    rooms: Vec<OwnedSemaphorePermit>,
    /// Why nothing is written any more: a record after one that is missing would be worse than none.
    broken: Option<StoreError>,
}

impl Writer {
    async fn append(&mut self) {
        let records = std::mem::take(&mut self.records);
        if self.broken.is_none() && !records.is_empty() {
            self.broken = self.log.append(records).await.err();
        }
        self.rooms.clear();
    }

    async fn set_title(&mut self, title: Option<String>) {
        self.append().await;
        if self.broken.is_none() && self.log.info().title != title {
            self.broken = self.log.set_title(title).await.err();
        }
    }

    async fn finish(&mut self, durable: bool) -> Result<(), StoreError> {
        self.append().await;
        if durable && self.broken.is_none() {
            self.broken = self.log.commit().await.err();
        }
        self.broken.clone().map_or(Ok(()), Err)
    }
}
