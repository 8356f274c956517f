//! Compactions of the conversation.

use acp_types::Meta;
use acp_types::v1::{CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, ContentBlock};

use super::content;

/// A compaction of the conversation, in a [`Transcript`](crate::Transcript).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Compaction {
    /// The agent's id of the compaction.
    pub id: CompactionId,
    /// The progress of the compaction.
    pub status: CompactionStatus,
    /// The condensed conversation.
    pub summary: Vec<ContentBlock>,
    /// The reason of a failure.
    pub error: Option<String>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

impl Compaction {
    pub(super) const fn new(id: CompactionId) -> Self {
        Self { id, status: CompactionStatus::InProgress, summary: Vec::new(), error: None, meta: None }
    }

    pub(super) fn update(&mut self, update: CompactionUpdate) {
        self.status = update.status;
        let mut summary = Some(std::mem::take(&mut self.summary));
        update.summary.apply(&mut summary);
        self.summary = summary.unwrap_or_default();
        update.error.apply(&mut self.error);
        update.meta.apply(&mut self.meta);
    }

    /// Takes in a piece of the summary. Returns the place where it has grown.
    pub(super) fn append(&mut self, chunk: CompactionSummaryChunk) -> Option<(usize, usize)> {
        content::join_meta(&mut self.meta, chunk.meta);
        content::append(&mut self.summary, chunk.content)
    }
}
