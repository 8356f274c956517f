//! Records of a session.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use acp_types::v1::{ContentBlock, ProtocolVersion, SessionUpdate};
use serde_json::value::RawValue;

use super::StoreError;
use crate::wire::record::{is_known, read_prompt, read_update};

/// One record of a session: a prompt, an update as it was sent, or a part of the session's
/// [state](RecordKind::is_state). A store keeps them in order.
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
    /// A message of the user. The text is the list of its content blocks, or an object with them as
    /// `content` and the message's id as `messageId`.
    Prompt,
    /// An update, as it was sent to a client of version 1. The text is the member `update` of a
    /// `session/update`.
    Update,
    /// An update, as it was sent to a client of version 2. The text is the member `update` of a
    /// `session/update`. Programs without the feature `v2` do not read it.
    UpdateV2,
    /// The modes and config options with their current values. The text has the members `modes` and
    /// `configOptions` of an answer to `session/load`.
    Settings,
    /// A value of the agent's own. The text is what [`Session::save`](crate::Session::save) made of
    /// it.
    Saved,
}

impl RecordKind {
    /// Every kind.
    pub(crate) const ALL: [Self; 5] = [
        RecordKind::Prompt,
        RecordKind::Update,
        RecordKind::UpdateV2,
        RecordKind::Settings,
        RecordKind::Saved,
    ];

    /// Returns the kind of an update in this version.
    pub(super) fn of_update(version: ProtocolVersion) -> Self {
        if version == ProtocolVersion::V1 { RecordKind::Update } else { RecordKind::UpdateV2 }
    }

    /// Returns the version of the protocol that the text is written in. Records that were written
    /// before there were two versions are of version 1.
    #[must_use]
    pub const fn version(self) -> ProtocolVersion {
        match self {
            RecordKind::UpdateV2 => ProtocolVersion(2),
            _ => ProtocolVersion::V1,
        }
    }

    /// Returns true if the record is a part of the session's state: the last one of its kind
    /// counts. All others are the conversation.
    #[must_use]
    pub const fn is_state(self) -> bool {
        matches!(self, RecordKind::Settings | RecordKind::Saved)
    }

    /// Returns the name of the kind, such as `prompt`, for stores that keep it as text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RecordKind::Prompt => "prompt",
            RecordKind::Update => "update",
            RecordKind::UpdateV2 => "update_v2",
            RecordKind::Settings => "settings",
            RecordKind::Saved => "saved",
        }
    }

    /// Returns the kind with this [`name`](Self::name). A store passes over records of other kinds:
    /// a later version has written them.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
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

    /// Returns the record with a text of its own, whose memory no other record shares.
    pub(super) fn alone(&self) -> Self {
        let json = self.json().to_owned();
        Record { kind: self.kind, at: 0..json.len(), text: Arc::new(json) }
    }

    /// Gives records memory of their own, which no other record shares: pieces that each have the
    /// texts of several of them. A piece with more than one text has at most `piece` bytes.
    pub(super) fn gather(mut records: &mut [Self], piece: usize) {
        while !records.is_empty() {
            let mut bytes = 0;
            let fits = |record: &&Self| {
                let is_first = bytes == 0;
                bytes += record.json().len();
                is_first || bytes <= piece
            };
            let count = records.iter().take_while(fits).count().max(1);
            let Some((these, rest)) = records.split_at_mut_checked(count) else { return };
            if Self::are_all_of_a_piece(these) {
                records = rest;
                continue;
            }
            let mut text = String::with_capacity(these.iter().map(|record| record.json().len()).sum());
            text.extend(these.iter().map(Self::json));
            let (text, mut start) = (Arc::new(text), 0);
            for record in these {
                let end = start + record.json().len();
                (record.text, record.at) = (Arc::clone(&text), start..end);
                start = end;
            }
            records = rest;
        }
    }

    /// Returns true if these records share a piece of memory that has nothing but their texts.
    fn are_all_of_a_piece(records: &[Self]) -> bool {
        let [first, others @ ..] = records else { return true };
        let bytes = records.iter().map(|record| record.json().len()).sum::<usize>();
        // Nobody else can have a part of it either.
        let is_shared = others.iter().all(|record| record.shares(first));
        is_shared && first.text.capacity() == bytes && Arc::strong_count(&first.text) == records.len()
    }

    /// Returns true if the two records share the memory of their texts.
    pub(super) fn shares(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.text, &other.text)
    }

    /// Returns the bytes of the memory that the text is in.
    #[cfg(test)]
    pub(super) fn piece(&self) -> usize {
        self.text.capacity()
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
    /// An update of version 2 that says something only together with those before it is a
    /// [`SessionUpdate::Unknown`] here. [`History::next`](super::History::next) reads it with them.
    ///
    /// # Errors
    /// The text is JSON, but not a prompt or an update. A part of the session's state is neither.
    /// An update is of a version that this program does not have.
    pub fn entry(&self) -> Result<Entry, StoreError> {
        match self.kind {
            RecordKind::Prompt => read_prompt(self.json()).map(Entry::Prompt),
            RecordKind::Update | RecordKind::UpdateV2 => {
                self.check_version()?;
                read_update(self.kind.version(), self.json()).map(|update| Entry::Update(Box::new(update)))
            }
            RecordKind::Settings | RecordKind::Saved => {
                return Err(StoreError::other("this record is a part of the session's state"));
            }
        }
        .map_err(StoreError::other)
    }
}

impl Record {
    /// Refuses an update of a version that this program does not have.
    pub(super) fn check_version(&self) -> Result<(), StoreError> {
        if is_known(self.kind.version()) {
            return Ok(());
        }
        Err(StoreError::other("an update of version 2, which takes the feature `v2` of `acp-agent`"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathered_records_share_pieces_that_no_other_record_has() {
        let texts: Vec<String> =
            (0..10).map(|number| format!("\"{:number$}\"", "", number = number * 9)).collect();
        let (block, mut end) = (Arc::new(texts.concat()), 0);
        let mut records = Vec::new();
        for text in &texts {
            let at = end..end + text.len();
            end = at.end;
            records.push(Record::within(RecordKind::Update, Arc::clone(&block), at));
        }
        Record::gather(&mut records, 64);
        assert_eq!(records.iter().map(Record::json).collect::<Vec<_>>(), texts);
        assert_eq!(Arc::strong_count(&block), 1);
        for record in &records {
            let piece: Vec<_> = records.iter().filter(|other| other.shares(record)).collect();
            let bytes = piece.iter().map(|record| record.json().len()).sum::<usize>();
            assert_eq!(record.piece(), bytes);
            assert!(bytes <= 64 || piece.len() == 1, "{bytes} bytes of {} records", piece.len());
        }
        assert!(records[0].shares(&records[1]));
    }

    #[test]
    fn records_with_a_piece_to_themselves_stay_in_it() {
        let text = Arc::new(String::from("\"a\"\"b\""));
        let within = |at| Record::within(RecordKind::Update, Arc::clone(&text), at);
        let mut records = [within(0..3), within(3..6)];
        let piece = Arc::as_ptr(&text);
        // Somebody else has it too.
        Record::gather(&mut records, 64);
        assert_ne!(Arc::as_ptr(&records[0].text), piece);
        let piece = Arc::as_ptr(&records[0].text);
        Record::gather(&mut records, 64);
        assert_eq!(Arc::as_ptr(&records[0].text), piece);
        // A rest must not keep the memory of what is gone.
        Record::gather(&mut records[1..], 64);
        assert_ne!(Arc::as_ptr(&records[1].text), piece);
        assert_eq!(records[1].piece(), 3);
    }
}
