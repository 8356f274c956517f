//! Records of a session.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use acp_types::v1::{ContentBlock, SessionUpdate};
use serde_json::value::RawValue;

use super::StoreError;
use crate::wire::record::{read_prompt, read_update};

/// One record of a session: a prompt, or an update as it was sent. A store keeps them in order.
///
/// To a store it is a kind and a JSON text without line breaks, which it gives back unchanged.
///
/// A clone is cheap. Records that were handed over together may share the memory of their texts, so
/// keeping one keeps the memory of all.
#[derive(Clone)]
pub struct Record {
    kind: RecordKind,
    text: Arc<String>,
    /// Its place in the text.
    at: Range<usize>,
}

/// The kind of a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// A message of the user. The text is the list of its content blocks.
    Prompt,
    /// An update, as it was sent. The text is the member `update` of a `session/update`.
    Update,
}

/// The content of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A message of the user.
    Prompt(Vec<ContentBlock>),
    /// An update that the agent has sent.
    Update(Box<SessionUpdate>),
}

impl Record {
    /// Creates a record out of a store.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn new(kind: RecordKind, json: impl Into<String>) -> Result<Self, StoreError> {
        let json = json.into();
        let at = 0..json.len();
        serde_json::from_str::<&RawValue>(&json).map_err(StoreError::other)?;
        Ok(Record { kind, text: Arc::new(json), at })
    }

    /// Returns one of several records whose texts stand behind each other.
    pub(super) const fn within(kind: RecordKind, text: Arc<String>, at: Range<usize>) -> Self {
        Record { kind, text, at }
    }

    /// Returns its kind.
    #[must_use]
    pub const fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Returns its JSON text.
    #[must_use]
    pub fn json(&self) -> &str {
        self.text.get(self.at.clone()).unwrap_or_default()
    }

    /// Reads its text.
    ///
    /// # Errors
    /// The text is JSON, but not a prompt or an update.
    pub fn entry(&self) -> Result<Entry, StoreError> {
        match self.kind {
            RecordKind::Prompt => read_prompt(self.json()).map(Entry::Prompt),
            RecordKind::Update => read_update(self.json()).map(|update| Entry::Update(Box::new(update))),
        }
        .map_err(StoreError::other)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.json() == other.json()
    }
}

impl Eq for Record {}

/// Shows no text, because that is the user's.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("kind", &self.kind).field("bytes", &self.json().len()).finish()
    }
}
