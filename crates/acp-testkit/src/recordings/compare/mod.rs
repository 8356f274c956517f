//! The differences of two conversations.

mod align;
mod changes;
mod report;

use std::collections::BTreeMap;

use serde_json::Value;

use super::conversation::{Conversation, Message, MessageKind};
use super::sides::Side;

use self::align::{Pair, align};
use self::changes::changes;

/// A part of a message that differs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// A JSON pointer, such as `/result/stopReason`.
    pub path: String,
    /// The value in the first recording, `None` if it is missing there.
    pub first: Option<Value>,
    /// The value in the second recording.
    pub second: Option<Value>,
}

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Both have the message, with different parts.
    Changed,
    /// Only the first recording has the message.
    Missing,
    /// Only the second recording has the message.
    Added,
}

/// A difference of two recordings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Its kind.
    pub kind: DifferenceKind,
    /// The session that the message belongs to.
    pub session: Option<String>,
    /// The side that sent the message.
    pub from: Side,
    /// The kind of message.
    pub message: MessageKind,
    /// The method.
    pub method: String,
    /// The number of its record in the first recording.
    pub first: Option<usize>,
    /// The number of its record in the second recording.
    pub second: Option<usize>,
    /// The parts of a changed message that differ.
    pub changes: Vec<Change>,
    /// The body of a message that only one recording has.
    pub body: Option<Value>,
}

/// The comparison of two conversations. `Display` is a text for people.
///
/// The messages of one session from one side are compared in their order. The order between
/// sessions, and between the sides, depends on the run and does not count. A value that a recorder
/// has hidden is equal to any text or number.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The differences, session by session.
    pub differences: Vec<Difference>,
    /// The number of messages in the first recording.
    pub first: usize,
    /// The number of messages in the second recording.
    pub second: usize,
    /// The lines that are known to be missing from both recordings.
    pub dropped: u64,
}

type Lane<'c> = (Option<&'c str>, Side);

impl Comparison {
    /// Compares two conversations.
    #[must_use]
    pub fn of(first: &Conversation, second: &Conversation) -> Self {
        Self::select(first, second, |_| true)
    }

    /// Compares the messages of one side only.
    #[must_use]
    pub fn of_side(first: &Conversation, second: &Conversation, side: Side) -> Self {
        Self::select(first, second, |message| message.from == side)
    }

    fn select(first: &Conversation, second: &Conversation, counts: impl Fn(&Message) -> bool) -> Self {
        let mut lanes: BTreeMap<Lane<'_>, [Vec<&Message>; 2]> = BTreeMap::new();
        let mut total = [0; 2];
        for (which, conversation) in [first, second].into_iter().enumerate() {
            for message in conversation.messages.iter().filter(|message| counts(message)) {
                let lane = lanes.entry((message.session.as_deref(), message.from)).or_default();
                if let (Some(lane), Some(total)) = (lane.get_mut(which), total.get_mut(which)) {
                    lane.push(message);
                    *total += 1;
                }
            }
        }
        let mut differences = Vec::new();
        for [first, second] in lanes.values() {
            differences.extend(align(first, second).into_iter().filter_map(difference));
        }
        let [of_first, of_second] = total;
        Self { differences, first: of_first, second: of_second, dropped: first.dropped + second.dropped }
    }

    /// Returns true if nothing differs.
    #[must_use]
    pub const fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}

fn difference(pair: Pair<'_>) -> Option<Difference> {
    let (kind, changes, body, message) = match pair {
        Pair::Both(first, second) => {
            let changes = changes(&first.body, &second.body);
            if changes.is_empty() {
                return None;
            }
            (DifferenceKind::Changed, changes, None, first)
        }
        Pair::First(first) => (DifferenceKind::Missing, Vec::new(), Some(first.body.clone()), first),
        Pair::Second(second) => (DifferenceKind::Added, Vec::new(), Some(second.body.clone()), second),
    };
    Some(Difference {
        kind,
        session: message.session.clone(),
        from: message.from,
        message: message.kind,
        method: message.method.clone(),
        first: pair.first().map(|message| message.record),
        second: pair.second().map(|message| message.record),
        changes,
        body,
    })
}
