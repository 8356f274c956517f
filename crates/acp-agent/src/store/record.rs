//! One record of a session.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use acp_types::v1::{ContentBlock, SessionUpdate};
use serde_json::value::RawValue;

use super::StoreError;

/// What a store keeps of a session, in order: prompts, and updates as they were sent.
///
/// To a store it is a kind and a JSON text without line breaks, which it gives back as they were.
///
/// Cheap to clone. Records that were handed over together may share the memory of their texts: one that is kept keeps
/// that of the others, too.
#[derive(Clone)]
pub struct Record {
    kind: RecordKind,
    text: Arc<String>,
    /// Where in the text it stands.
    at: Range<usize>,
}

/// What a [`Record`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordKind {
    /// A message of the user: the list of its content blocks.
    Prompt,
    /// An update, as it was sent: the member `update` of a `session/update`.
    Update,
}

/// A [`Record`], read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A message of the user.
    Prompt(Vec<ContentBlock>),
    /// An update that the agent has sent.
    Update(Box<SessionUpdate>),
}

impl Record {
    /// A record that a store has kept.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn new(kind: RecordKind, json: impl Into<String>) -> Result<Self, StoreError> {
        let json = json.into();
        let at = 0..json.len();
        serde_json::from_str::<&RawValue>(&json).map_err(StoreError::other)?;
        Ok(Record { kind, text: Arc::new(json), at })
    }

    /// One of several whose texts stand behind each other.
    pub(super) const fn within(kind: RecordKind, text: Arc<String>, at: Range<usize>) -> Self {
        Record { kind, text, at }
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Its JSON text.
    #[must_use]
    pub fn json(&self) -> &str {
        self.text.get(self.at.clone()).unwrap_or_default()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The text is JSON, but no prompt or update.
    pub fn entry(&self) -> Result<Entry, StoreError> {
        match self.kind {
            RecordKind::Prompt => acp_types::from_str(self.json()).map(Entry::Prompt),
            RecordKind::Update => {
                acp_types::from_str(self.json()).map(|update| Entry::Update(Box::new(update)))
            }
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

/// Without the text, which is the user's.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("kind", &self.kind).field("bytes", &self.json().len()).finish()
    }
}
