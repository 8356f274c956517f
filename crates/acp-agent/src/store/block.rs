//! Many records in few pieces of memory.

use std::ops::Range;
use std::sync::Arc;

use super::{Record, RecordKind, StoreError};

/// From this length on a block takes no further record. The allocator takes larger pieces from the
/// system, and gives them back, each time.
const FULL: usize = 64 * 1024;
/// Room in a block for the record that makes it full, as long as that is a short one.
const SLACK: usize = 4 * 1024;
/// The room of a new block: as much as a short turn takes. To grow step by step costs more.
const FIRST: usize = 4 * 1024;
/// The records that a new block has room for.
const RECORDS: usize = 32;

/// Records whose texts stand behind each other. Many of them cost no more memory than their bytes.
#[derive(Default)]
pub(super) struct Block {
    text: Vec<u8>,
    records: Vec<(RecordKind, Range<usize>)>,
}

impl Block {
    /// Returns the length of the text, in bytes.
    fn len(&self) -> usize {
        self.records.last().map_or(0, |(_, at)| at.end)
    }

    fn with_capacity(bytes: usize) -> Self {
        Block { text: Vec::with_capacity(bytes), records: Vec::with_capacity(RECORDS) }
    }

    fn add<E>(
        &mut self,
        kind: RecordKind,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<&[u8], E> {
        let start = self.len();
        // A write that failed may have begun.
        self.text.truncate(start);
        write(&mut self.text)?;
        self.records.push((kind, start..self.text.len()));
        Ok(self.text.get(start..).unwrap_or_default())
    }

    fn push(&mut self, kind: RecordKind, json: &[u8]) {
        let start = self.len();
        self.text.truncate(start);
        self.text.extend_from_slice(json);
        self.records.push((kind, start..self.text.len()));
    }

    /// Adds the records, which share the memory, to `all`.
    fn split(self, all: &mut Vec<Record>) -> Result<(), StoreError> {
        let mut text = String::from_utf8(self.text).map_err(StoreError::other)?;
        // A store that keeps the records keeps no more than their texts.
        text.shrink_to_fit();
        let text = Arc::new(text);
        all.reserve(self.records.len());
        all.extend(self.records.into_iter().map(|(kind, at)| Record::within(kind, Arc::clone(&text), at)));
        Ok(())
    }
}

/// Records in as many blocks as they need.
#[derive(Default)]
pub(super) struct Blocks {
    full: Vec<Block>,
    last: Block,
}

impl Blocks {
    /// Returns the length of the text, in bytes.
    pub(super) fn len(&self) -> usize {
        self.full.iter().map(Block::len).sum::<usize>() + self.last.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.full.is_empty() && self.last.records.is_empty()
    }

    /// Adds the record that `write` writes, and returns its text: one JSON value. Nothing is added
    /// if `write` fails.
    pub(super) fn add<E>(
        &mut self,
        kind: RecordKind,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<&[u8], E> {
        self.with_room().add(kind, write)
    }

    /// Adds a record that is already written.
    pub(super) fn push(&mut self, kind: RecordKind, json: &[u8]) {
        self.with_room().push(kind, json);
    }

    fn with_room(&mut self) -> &mut Block {
        if self.last.len() >= FULL {
            let next = Block::with_capacity(FULL + SLACK);
            self.full.push(std::mem::replace(&mut self.last, next));
        } else if self.is_empty() {
            self.last = Block::with_capacity(FIRST);
        }
        &mut self.last
    }

    /// Returns the records.
    pub(super) fn into_records(self) -> Result<Vec<Record>, StoreError> {
        let mut records = Vec::new();
        for block in self.full.into_iter().chain([self.last]) {
            block.split(&mut records)?;
        }
        Ok(records)
    }
}
