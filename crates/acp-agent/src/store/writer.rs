//! The task that writes what is recorded of a session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::block::Blocks;
use super::room::Room;
use super::{SessionLog, StoreError};

/// How much, in bytes, may wait to be written for each session. Over it, who sends waits.
const BUDGET: u64 = 1024 * 1024;

/// What the writer is to do. Before any of it, it writes what is waiting.
pub(super) enum Job {
    /// Nothing more.
    Append,
    SetTitle(Option<String>),
    SetDirectories(Vec<String>),
    /// To say how it went so far, after making it durable where that is asked for.
    Write {
        durable: bool,
        done: oneshot::Sender<Result<(), StoreError>>,
    },
    Close {
        done: oneshot::Sender<Result<(), StoreError>>,
    },
}

/// Records on their way to the writer.
pub(super) struct Waiting {
    /// `None` once the session is closed.
    blocks: Mutex<Option<Blocks>>,
    pub(super) room: Room,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Waiting { blocks: Mutex::new(Some(Blocks::default())), room: Room::new(BUDGET) }
    }

    pub(super) fn blocks(&self) -> MutexGuard<'_, Option<Blocks>> {
        // They are whole before each record, whatever the last one has come to.
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them.
    fn take(&self) -> Blocks {
        self.blocks().as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// Writes what is handed on, in order, until the session is closed or nobody records it any more.
pub(super) struct Writer {
    log: Box<dyn SessionLog>,
    waiting: Arc<Waiting>,
    /// Why nothing is written any more: a record after one that is missing would be worse than none.
    broken: Option<StoreError>,
}

impl Writer {
    pub(super) fn new(log: Box<dyn SessionLog>, waiting: Arc<Waiting>) -> Self {
        Writer { log, waiting, broken: None }
    }

    pub(super) async fn run(mut self, mut jobs: UnboundedReceiver<Job>) {
        while let Some(job) = jobs.recv().await {
            self.append().await;
            match job {
                Job::Append => {}
                Job::SetTitle(title) => self.set_title(title).await,
                Job::SetDirectories(directories) => self.set_directories(directories).await,
                Job::Write { durable, done } => {
                    let _ = done.send(self.finish(durable).await);
                }
                Job::Close { done } => {
                    let outcome = self.finish(true).await;
                    // Before the answer: who gets it may open the session elsewhere.
                    drop(self);
                    let _ = done.send(outcome);
                    return;
                }
            }
        }
        let _ = self.finish(true).await;
    }

    async fn append(&mut self) {
        let blocks = self.waiting.take();
        let bytes = blocks.len();
        if bytes == 0 {
            return;
        }
        if self.broken.is_none() {
            self.broken = match blocks.into_records() {
                Ok(records) => self.log.append(records).await.err(),
                Err(error) => Some(error),
            };
        }
        self.waiting.room.give_back(bytes);
    }

    async fn set_title(&mut self, title: Option<String>) {
        if self.broken.is_none() && self.log.info().title != title {
            self.broken = self.log.set_title(title).await.err();
        }
    }

    async fn set_directories(&mut self, directories: Vec<String>) {
        if self.broken.is_none() && self.log.info().additional_directories != directories {
            self.broken = self.log.set_additional_directories(directories).await.err();
        }
    }

    async fn finish(&mut self, durable: bool) -> Result<(), StoreError> {
        if durable && self.broken.is_none() {
            self.broken = self.log.commit().await.err();
        }
        self.broken.clone().map_or(Ok(()), Err)
    }
}

/// Also when the runtime drops it: what comes after that is no part of the session.
impl Drop for Writer {
    fn drop(&mut self) {
        *self.waiting.blocks() = None;
        self.waiting.room.close();
    }
}
