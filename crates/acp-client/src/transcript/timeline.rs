//! The entries of a transcript, in order and by id.

use std::collections::{HashMap, VecDeque};

use acp_types::v1::{CompactionId, MessageId, ToolCallId};

use super::{Entry, MessageKind};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Timeline {
    entries: VecDeque<Entry>,
    /// The number of the oldest entry.
    first: usize,
    limit: Option<usize>,
    by_key: HashMap<Key, usize>,
    /// The last entry of a known kind.
    tail: Option<usize>,
}

/// The key by which an update finds its entry. Ids of messages count within one kind only: agents
/// give a thought and the answer after it the same id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Message(MessageKind, MessageId),
    ToolCall(ToolCallId),
    Compaction(CompactionId),
}

impl Timeline {
    /// Creates a timeline whose first entry will have this number.
    pub(super) fn starting_at(first: usize) -> Self {
        Self { first, ..Self::default() }
    }

    pub(super) const fn first(&self) -> usize {
        self.first
    }

    pub(super) const fn limit(&self) -> Option<usize> {
        self.limit
    }

    pub(super) fn set_limit(&mut self, entries: usize) {
        self.limit = Some(entries.max(1));
        self.shorten();
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &Entry)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, entry)| (self.first + index, entry))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut Entry)> {
        let first = self.first;
        self.entries.iter_mut().enumerate().map(move |(index, entry)| (first + index, entry))
    }

    pub(super) fn get(&self, number: usize) -> Option<&Entry> {
        self.entries.get(number.checked_sub(self.first)?)
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut Entry> {
        self.entries.get_mut(number.checked_sub(self.first)?)
    }

    pub(super) fn find(&self, key: &Key) -> Option<&Entry> {
        self.get(*self.by_key.get(key)?)
    }

    pub(super) fn find_mut(&mut self, key: &Key) -> Option<(usize, &mut Entry)> {
        let number = *self.by_key.get(key)?;
        Some((number, self.get_mut(number)?))
    }

    /// Returns the last entry, apart from those of unknown kinds.
    pub(super) fn tail_mut(&mut self) -> Option<(usize, &mut Entry)> {
        let number = self.tail?;
        Some((number, self.get_mut(number)?))
    }

    /// Adds an entry and returns its number.
    pub(super) fn push(&mut self, entry: Entry) -> usize {
        let number = self.first + self.entries.len();
        if let Some(key) = key(&entry) {
            self.by_key.insert(key, number);
        }
        if !matches!(entry, Entry::Unknown(_)) {
            self.tail = Some(number);
        }
        self.entries.push_back(entry);
        self.shorten();
        number
    }

    /// Adds the key of a message that has received its id.
    pub(super) fn index_again(&mut self, number: usize) {
        if let Some(key) = self.get(number).and_then(key) {
            self.by_key.insert(key, number);
        }
    }

    fn shorten(&mut self) {
        while self.limit.is_some_and(|limit| self.entries.len() > limit) {
            let Some(entry) = self.entries.pop_front() else { break };
            if let Some(key) = key(&entry) {
                self.by_key.remove(&key);
            }
            self.tail.take_if(|tail| *tail == self.first);
            self.first += 1;
        }
    }
}

fn key(entry: &Entry) -> Option<Key> {
    Some(match entry {
        Entry::Message(message) => Key::Message(message.kind, message.id.clone()?),
        Entry::ToolCall(run) => Key::ToolCall(run.call.tool_call_id.clone()),
        Entry::Compaction(compaction) => Key::Compaction(compaction.id.clone()),
        Entry::Unknown(_) | Entry::Missed(_) => return None,
    })
}
