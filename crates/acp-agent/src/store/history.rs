//! The conversation of a session, read back.

use std::fmt;

use super::unreadable::Unreadable;
use super::{Entry, Record, Records, StoreError};

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
    /// `None` if there is nothing.
    unreadable: Option<Unreadable>,
}

impl History {
    /// Returns the history of a session that is not kept.
    pub(crate) fn empty() -> Self {
        History { records: None, batch: Vec::new().into_iter(), count: 0, unreadable: None }
    }

    pub(super) fn of(records: Box<dyn Records>, unreadable: Unreadable) -> Self {
        History { records: Some(records), unreadable: Some(unreadable), ..History::empty() }
    }

    /// Returns the next entry; `None` at the end.
    ///
    /// # Errors
    /// Reading fails. Damage in the store is passed over and not an error: the store reports it. A
    /// record that this version cannot read is passed over, too, and reported to
    /// [`Serve::on_fault`](crate::Serve::on_fault).
    pub async fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        while let Some(record) = self.next_record().await? {
            match (record.entry(), &self.unreadable) {
                (Ok(entry), _) => return Ok(Some(entry)),
                (Err(error), Some(unreadable)) => unreadable.report(self.count, &error),
                (Err(_), None) => {}
            }
        }
        Ok(None)
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
