//! The conversation of a session, read back.

use std::fmt;

use acp_types::v1::SessionUpdate;

use super::unreadable::Unreadable;
use super::{Entry, Record, RecordKind, Records, StoreError};
use crate::wire::record::RecordReader;

/// The conversation of a session, oldest first: prompts and updates.
///
/// It is read piece by piece. Little of it is in memory, however long the session is. It ends where
/// the session ended when the history was asked for. The module has
/// [an example](crate::store#the-conversation).
pub struct History {
    /// `None` at the end, and if there is nothing.
    records: Option<Box<dyn Records>>,
    batch: std::vec::IntoIter<Record>,
    /// The number of records so far.
    count: usize,
    /// The number of those that are of the conversation.
    position: usize,
    reader: RecordReader,
    /// The updates that were read and are not returned yet.
    read: std::vec::IntoIter<SessionUpdate>,
    /// `None` if there is nothing.
    unreadable: Option<Unreadable>,
}

impl History {
    /// Returns the history of a session that is not kept.
    pub(crate) fn empty() -> Self {
        History {
            records: None,
            batch: Vec::new().into_iter(),
            count: 0,
            position: 0,
            reader: RecordReader::default(),
            read: Vec::new().into_iter(),
            unreadable: None,
        }
    }

    pub(super) fn of(records: Box<dyn Records>, unreadable: Unreadable) -> Self {
        History { records: Some(records), unreadable: Some(unreadable), ..History::empty() }
    }

    /// Returns the next entry; `None` at the end. Updates that went to a client of version 2 are
    /// read as those of version 1 that say the same.
    ///
    /// # Errors
    /// Reading fails. Damage in the store is passed over and not an error: the store reports it. A
    /// record that this version cannot read is passed over, too, and reported to
    /// [`Serve::on_fault`](crate::Serve::on_fault).
    pub async fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        loop {
            if let Some(update) = self.read.next() {
                return Ok(Some(Entry::Update(Box::new(update))));
            }
            let mut updates = Vec::new();
            let Some(record) = self.next_record().await? else {
                self.read = self.reader.finish().into_iter();
                return Ok(self.read.next().map(|update| Entry::Update(Box::new(update))));
            };
            let read = if record.kind() == RecordKind::UpdateV2 {
                record.check_version().and_then(|()| {
                    let version = record.kind().version();
                    let read = self.reader.read(version, record.json(), self.position, &mut updates);
                    read.map_err(StoreError::other)
                })
            } else {
                self.reader.note(record.json());
                match record.entry() {
                    Ok(entry) => return Ok(Some(entry)),
                    Err(error) => Err(error),
                }
            };
            if let (Err(error), Some(unreadable)) = (read, &self.unreadable) {
                unreadable.report(self.count, &error);
            }
            self.read = updates.into_iter();
        }
    }

    /// Returns the next entry without reading its JSON text.
    ///
    /// # Errors
    /// Reading fails.
    pub async fn next_record(&mut self) -> Result<Option<Record>, StoreError> {
        loop {
            if let Some(record) = self.batch.next() {
                self.count += 1;
                if record.kind().is_state() {
                    continue;
                }
                self.position += 1;
                return Ok(Some(record));
            }
            let Some(records) = &mut self.records else { return Ok(None) };
            let batch = records.next().await?;
            if batch.is_empty() {
                self.records = None;
            }
            self.batch = batch.into_iter();
        }
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("more", &self.records.is_some()).finish_non_exhaustive()
    }
}
