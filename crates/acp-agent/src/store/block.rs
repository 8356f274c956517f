//! Many records in one piece of memory.

use std::ops::Range;
use std::sync::Arc;

use super::{Record, RecordKind, StoreError};

/// Records whose texts stand behind each other: that they are many costs no more memory than their bytes.
#[derive(Default)]
pub(super) struct Block {
    text: Vec<u8>,
    records: Vec<(RecordKind, Range<usize>)>,
}

impl Block {
    /// Room for so many bytes of text.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Block { text: Vec::with_capacity(bytes), records: Vec::new() }
    }

    /// How much text there is, in bytes.
    pub(super) fn len(&self) -> usize {
        self.records.last().map_or(0, |(_, at)| at.end)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds the record that `write` writes, and gives its text: one JSON value. Nothing is added when that fails.
    pub(super) fn add<E>(
        &mut self,
        kind: RecordKind,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<&[u8], E> {
        let start = self.len();
        // One that failed may have begun.
        self.text.truncate(start);
        write(&mut self.text)?;
        self.records.push((kind, start..self.text.len()));
        Ok(self.text.get(start..).unwrap_or_default())
    }

    /// Adds a record.
    pub(super) fn push(&mut self, kind: RecordKind, json: &[u8]) {
        let start = self.len();
        self.text.truncate(start);
        self.text.extend_from_slice(json);
        self.records.push((kind, start..self.text.len()));
    }

    /// The records, which share the memory.
    pub(super) fn into_records(self) -> Result<Vec<Record>, StoreError> {
        let text = String::from_utf8(self.text).map_err(StoreError::other)?;
        let text = Arc::new(text);
        let record = |(kind, at)| Record::within(kind, Arc::clone(&text), at);
        Ok(self.records.into_iter().map(record).collect())
    }
}
