//! A session in the memory of the process.

use std::collections::VecDeque;
use std::time::SystemTime;

use acp_types::v1::SessionInfo;

use crate::store::Record;

/// The bytes that a session costs besides its records.
const SESSION: usize = 512;
/// The bytes that a record costs besides its text.
const RECORD: usize = 64;
/// The bytes of a piece of memory with the texts of several records.
pub(super) const PIECE: usize = 16 * 1024;
/// A session in a full store gives up this part of its bytes at a time. So most records that it
/// gets find room.
const SHARE: usize = 64;

/// A place in the order of use: the time, and the number of the change among those of one time.
pub(super) type Place = (SystemTime, u64);

#[derive(Debug)]
pub(super) struct Stored {
    pub(super) info: SessionInfo,
    /// The records that are not of the state.
    conversation: VecDeque<Record>,
    /// The number of records that were given up, the oldest of the conversation.
    gone: usize,
    /// The last record of each part of the state, in order.
    state: Vec<State>,
    bytes: usize,
    pub(super) is_open: bool,
    /// The number of its last change.
    pub(super) changed: u64,
    /// The number of the last change that was a use of the session, and the time of that.
    pub(super) last_use: u64,
    pub(super) used: SystemTime,
}

#[derive(Debug)]
struct State {
    record: Record,
    /// The number of records of the conversation before it, with those that are gone.
    after: usize,
}

impl Stored {
    pub(super) fn new(info: SessionInfo, changed: u64) -> Self {
        let bytes = SESSION + info.cwd.len();
        let (conversation, state, used) = (VecDeque::new(), Vec::new(), SystemTime::now());
        let last_use = changed;
        Stored { info, conversation, gone: 0, state, bytes, is_open: false, changed, last_use, used }
    }

    /// Notes a change that is a use of the session.
    pub(super) fn note_use(&mut self, changed: u64) {
        self.last_use = changed;
        self.used = SystemTime::now();
    }

    /// Returns its place in the order of use. A copy has the time that it was given.
    pub(super) const fn place(&self) -> Place {
        (self.used, self.last_use)
    }

    /// Returns the bytes that it costs.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns all records, in order.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records = Vec::with_capacity(self.conversation.len() + self.state.len());
        let (mut conversation, mut taken) = (self.conversation.iter().cloned(), self.gone);
        for state in &self.state {
            // The conversation may have lost what was before it.
            records.extend(conversation.by_ref().take(state.after.saturating_sub(taken)));
            taken = taken.max(state.after);
            records.push(state.record.clone());
        }
        records.extend(conversation);
        records
    }

    /// Returns the records of the state.
    pub(super) fn state(&self) -> Vec<Record> {
        self.state.iter().map(|state| state.record.clone()).collect()
    }

    /// Gives up the oldest records of the conversation because the store is `over` its limit, until
    /// none is left or there is room for further ones as well. Returns the bytes that are gone.
    pub(super) fn make_room(&mut self, over: usize) -> usize {
        let enough = over.max(self.bytes / SHARE);
        let (mut gone, mut last) = (0, None);
        while over > 0 && gone < enough {
            let Some(record) = self.conversation.pop_front() else { break };
            gone += cost(&record);
            self.gone += 1;
            last = Some(record);
        }
        // The rest of a piece would keep the memory of what is gone.
        if let Some(last) = last {
            let count = self.conversation.iter().take_while(|record| record.shares(&last)).count();
            let mut rest: Vec<_> = self.conversation.drain(..count).collect();
            Record::gather(&mut rest, PIECE);
            rest.into_iter().rev().for_each(|record| self.conversation.push_front(record));
        }
        self.bytes -= gone;
        gone
    }

    /// Adds a record. Of a part of the state only the last one counts.
    pub(super) fn add(&mut self, record: Record) {
        self.bytes += cost(&record);
        if !record.kind().is_state() {
            self.conversation.push_back(record);
            return;
        }
        if let Some(at) = self.state.iter().position(|other| other.record.kind() == record.kind()) {
            self.bytes -= cost(&self.state.remove(at).record);
        }
        self.state.push(State { record, after: self.gone + self.conversation.len() });
    }
}

fn cost(record: &Record) -> usize {
    RECORD + record.json().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RecordKind;

    const LIMIT: usize = 64 * 1024;

    fn stored() -> Stored {
        Stored::new(SessionInfo::new("s", "/work"), 1)
    }

    fn record(kind: RecordKind, number: usize) -> Record {
        Record::new(kind, format!("\"{number:_<100}\"")).unwrap()
    }

    /// Returns the memory of all texts: each piece counts once.
    fn memory(records: &[Record]) -> usize {
        let mut pieces: Vec<&Record> = Vec::new();
        for record in records {
            if !pieces.iter().any(|piece| piece.shares(record)) {
                pieces.push(record);
            }
        }
        pieces.iter().map(|piece| piece.piece()).sum()
    }

    #[test]
    fn texts_that_are_given_up_take_no_memory() {
        let mut stored = stored();
        for number in 0..10 {
            let mut records = vec![record(RecordKind::Update, number); 50];
            Record::gather(&mut records, PIECE);
            records.into_iter().for_each(|record| stored.add(record));
            stored.make_room(stored.bytes.saturating_sub(2 * PIECE));
            let records = stored.records();
            let bytes: usize = records.iter().map(|record| record.json().len()).sum();
            assert_eq!(memory(&records), bytes);
            assert!(records.len() > 49 && bytes < 2 * PIECE, "{bytes} bytes of {} records", records.len());
        }
    }

    #[test]
    fn most_records_find_room_in_a_full_store() {
        let (mut stored, mut room_made) = (stored(), 0);
        for number in 0..10_000 {
            stored.add(record(RecordKind::Update, number));
            let bytes = stored.bytes;
            let gone = stored.make_room(bytes.saturating_sub(LIMIT));
            assert_eq!(stored.bytes, bytes - gone);
            assert!(stored.bytes <= LIMIT);
            if gone > 0 {
                room_made += 1;
                assert!(gone >= LIMIT / SHARE, "{gone}");
                // It gives up no more than it has to.
                assert!(gone < 2 * LIMIT / SHARE, "{gone}");
            }
        }
        let last: Vec<_> = (0..10_000).map(|number| record(RecordKind::Update, number)).collect();
        let records = stored.records();
        assert_eq!(records, last[last.len() - records.len()..]);
        let added = 10_000 * cost(&last[0]);
        assert!(room_made > 0 && room_made <= added * SHARE / LIMIT, "{room_made} of {added} bytes");
    }

    #[test]
    fn the_state_keeps_its_place_when_the_conversation_loses_its_beginning() {
        let mut stored = stored();
        let mut all = Vec::new();
        for number in 0..6 {
            let kind = match number {
                1 | 4 => RecordKind::Saved,
                3 => RecordKind::Settings,
                _ => RecordKind::Update,
            };
            all.push(record(kind, number));
            stored.add(record(kind, number));
        }
        // Of two values of one part, the last one counts.
        all.remove(1);
        assert_eq!(stored.records(), all);
        assert_eq!(stored.state(), all[2..4]);
        // One record, two and three are gone. What is of the state stays.
        for first in [0, 0, 2] {
            assert_eq!(stored.make_room(1), cost(&all[0]));
            all.remove(first);
            assert_eq!(stored.records(), all);
        }
        assert_eq!(stored.make_room(1), 0);
        assert_eq!(stored.state(), all);
    }
}
