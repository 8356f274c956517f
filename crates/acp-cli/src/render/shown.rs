//! The parts of tool calls that have been shown, in little memory.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};

use acp_client::Transcript;
use acp_client::v1::{ToolCallContent, ToolCallId, ToolCallStatus};

/// The most changes of files that are remembered of a call.
const CHANGES: usize = 4096;

/// The statuses and changes that were shown of each call. Of a change only its hash is kept. The
/// hashes have a key of their own, so that no agent can find two changes with one hash.
pub(super) struct Shown {
    calls: HashMap<ToolCallId, Call>,
    keys: RandomState,
    /// The number of calls at which those that are no longer known are dropped.
    most: usize,
}

#[derive(Default)]
struct Call {
    status: Option<ToolCallStatus>,
    changes: VecDeque<u64>,
}

impl Shown {
    /// Remembers about this number of calls.
    pub(super) fn new(calls: usize) -> Self {
        Self { calls: HashMap::new(), keys: RandomState::new(), most: calls * 2 }
    }

    /// Takes the status of a call. Returns true if it is another one than before.
    pub(super) fn status(&mut self, known: &Transcript, id: &ToolCallId, status: &ToolCallStatus) -> bool {
        let call = self.call(known, id);
        let is_new = call.status.as_ref() != Some(status);
        if is_new {
            call.status = Some(status.clone());
        }
        is_new
    }

    /// Takes a change of files of a call. Returns true if it is new.
    pub(super) fn change(&mut self, known: &Transcript, id: &ToolCallId, item: &ToolCallContent) -> bool {
        let mut hash = Hash(self.keys.build_hasher());
        if serde_json::to_writer(&mut hash, item).is_err() {
            return true;
        }
        let hash = hash.0.finish();
        let changes = &mut self.call(known, id).changes;
        if changes.contains(&hash) {
            return false;
        }
        if changes.len() == CHANGES {
            changes.pop_front();
        }
        changes.push_back(hash);
        true
    }

    /// Returns a call. Those that are not known any more make room for a new one.
    fn call(&mut self, known: &Transcript, id: &ToolCallId) -> &mut Call {
        if self.calls.len() >= self.most && !self.calls.contains_key(id) {
            self.calls.retain(|id, _| known.tool_call(id).is_some());
        }
        self.calls.entry(id.clone()).or_default()
    }
}

/// A hash of the bytes that are written.
struct Hash<H>(H);

impl<H: Hasher> Write for Hash<H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use acp_client::Event;
    use acp_client::v1::{Diff, ToolCall};

    use super::*;

    fn diff(text: &str) -> ToolCallContent {
        ToolCallContent::Diff(Box::new(Diff::new("/w/notes", text)))
    }

    #[test]
    fn a_status_and_a_change_are_new_once() {
        let known = Transcript::new();
        let mut shown = Shown::new(10);
        let [a, b] = ["a", "b"].map(ToolCallId::from);
        assert!(shown.status(&known, &a, &ToolCallStatus::Pending));
        assert!(!shown.status(&known, &a, &ToolCallStatus::Pending));
        assert!(shown.status(&known, &a, &ToolCallStatus::Completed));
        assert!(shown.change(&known, &a, &diff("one")) && shown.change(&known, &a, &diff("two")));
        assert!(!shown.change(&known, &a, &diff("one")) && !shown.change(&known, &a, &diff("two")));
        assert!(shown.change(&known, &b, &diff("one")), "it is another call");
    }

    #[test]
    fn calls_that_are_not_known_any_more_are_dropped() {
        let mut known = Transcript::new().with_limit(10);
        let mut shown = Shown::new(10);
        for number in 0..1000 {
            let id = ToolCallId::from(format!("call-{number}"));
            known.fold(Event::ToolCall(Box::new(ToolCall::new(id.clone(), ""))));
            assert!(shown.change(&known, &id, &diff("one")));
            assert!(!shown.change(&known, &id, &diff("one")), "the newest stay");
            assert!(shown.calls.len() <= 20, "{}", shown.calls.len());
        }
        // Calls that nobody has announced do not fill it either.
        for number in 0..1000 {
            shown.change(&known, &ToolCallId::from(format!("unknown-{number}")), &diff("one"));
            assert!(shown.calls.len() <= 20, "{}", shown.calls.len());
        }
    }

    #[test]
    fn the_oldest_changes_of_a_call_are_dropped() {
        let known = Transcript::new();
        let mut shown = Shown::new(10);
        let id = ToolCallId::from("a");
        let all = || (0..CHANGES).map(|number| diff(&number.to_string()));
        assert!(all().all(|item| shown.change(&known, &id, &item)));
        assert!(!all().any(|item| shown.change(&known, &id, &item)));
        assert!(shown.change(&known, &id, &diff("more")) && shown.change(&known, &id, &diff("0")));
        assert_eq!(shown.calls.get(&id).unwrap().changes.len(), CHANGES);
    }
}
