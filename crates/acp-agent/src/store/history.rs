//! What was said in a session, read back.

use std::fmt;

use super::{Entry, Record, Records, StoreError};

/// What was said in a session before, oldest first: prompts and updates.
///
/// It is read piece by piece: however long the session, little of it is in memory. It ends with what was said
/// when it was asked for.
///
/// ```
/// use acp_agent::store::Entry;
/// use acp_agent::types::SessionUpdate;
/// use acp_agent::{Result, Turn};
///
/// /// The conversation as a model wants it, this turn's prompt included.
/// async fn messages(turn: &Turn) -> Result<Vec<(&'static str, String)>> {
///     let mut messages = Vec::new();
///     let mut history = turn.history().await?;
///     while let Some(entry) = history.next().await? {
///         match entry {
///             Entry::Prompt(blocks) => {
///                 let text: String = blocks.iter().filter_map(|block| block.as_text()).collect();
///                 messages.push(("user", text));
///             }
///             Entry::Update(update) => {
///                 if let SessionUpdate::AgentMessageChunk(chunk) = *update {
///                     messages.push(("assistant", chunk.content.as_text().unwrap_or_default().to_owned()));
///                 }
///             }
///             _ => {}
///         }
///     }
///     Ok(messages)
/// }
/// ```
pub struct History {
    /// `None` when there is nothing, or nothing more.
    records: Option<Box<dyn Records>>,
    batch: std::vec::IntoIter<Record>,
}

impl History {
    pub(crate) fn new(records: Option<Box<dyn Records>>) -> Self {
        History { records, batch: Vec::new().into_iter() }
    }

    /// The next entry; `None` at the end.
    ///
    /// # Errors
    /// Reading fails. What was damaged in the store is passed over and no error: the store reports it.
    pub async fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        self.next_record().await?.map(|record| record.entry()).transpose()
    }

    /// The same without reading the JSON text.
    ///
    /// # Errors
    /// Reading fails.
    pub async fn next_record(&mut self) -> Result<Option<Record>, StoreError> {
        loop {
            if let Some(record) = self.batch.next() {
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
