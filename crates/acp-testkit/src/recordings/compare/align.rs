//! Pairs of messages that belong together in two lanes.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use crate::recordings::conversation::Message;

/// The time after which a better alignment is not looked for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A message of one lane or the other, or of both.
#[derive(Clone, Copy)]
pub(super) enum Pair<'m> {
    Both(&'m Message, &'m Message),
    First(&'m Message),
    Second(&'m Message),
}

impl<'m> Pair<'m> {
    pub(super) const fn first(&self) -> Option<&'m Message> {
        match self {
            Self::Both(first, _) | Self::First(first) => Some(first),
            Self::Second(_) => None,
        }
    }

    pub(super) const fn second(&self) -> Option<&'m Message> {
        match self {
            Self::Both(_, second) | Self::Second(second) => Some(second),
            Self::First(_) => None,
        }
    }
}

/// Aligns two lanes: equal messages first, and between them those of one kind and method.
pub(super) fn align<'m>(first: &[&'m Message], second: &[&'m Message]) -> Vec<Pair<'m>> {
    let deadline = Some(Instant::now() + PATIENCE);
    let [ours, theirs] =
        [first, second].map(|lane| lane.iter().map(|message| whole(message)).collect::<Vec<_>>());
    let mut pairs = Vec::new();
    // The parts between equal messages.
    let (mut begun, mut open) = ((0, 0), false);
    for op in capture_diff_slices_deadline(Algorithm::Myers, &ours, &theirs, deadline) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            if open {
                align_rest(
                    part(first, begun.0, old_index),
                    part(second, begun.1, new_index),
                    deadline,
                    &mut pairs,
                );
            }
            (begun, open) = ((old_index + len, new_index + len), false);
        } else {
            open = true;
        }
    }
    if open {
        align_rest(
            part(first, begun.0, first.len()),
            part(second, begun.1, second.len()),
            deadline,
            &mut pairs,
        );
    }
    pairs
}

/// Aligns messages by their kind and method.
fn align_rest<'m>(
    first: &[&'m Message],
    second: &[&'m Message],
    deadline: Option<Instant>,
    pairs: &mut Vec<Pair<'m>>,
) {
    let [ours, theirs] =
        [first, second].map(|lane| lane.iter().map(|message| head(message)).collect::<Vec<_>>());
    for op in capture_diff_slices_deadline(Algorithm::Myers, &ours, &theirs, deadline) {
        let (_, old, new) = op.as_tag_tuple();
        let (old, new) = (part(first, old.start, old.end), part(second, new.start, new.end));
        if matches!(op, DiffOp::Equal { .. }) {
            pairs.extend(old.iter().zip(new).map(|(first, second)| Pair::Both(first, second)));
        } else {
            pairs.extend(old.iter().map(|first| Pair::First(first)));
            pairs.extend(new.iter().map(|second| Pair::Second(second)));
        }
    }
}

fn part<'a, 'm>(lane: &'a [&'m Message], from: usize, to: usize) -> &'a [&'m Message] {
    lane.get(from..to).unwrap_or_default()
}

/// Returns the kind and method of a message, and of an update its kind.
fn head(message: &Message) -> String {
    let update = message.body.pointer("/params/update/sessionUpdate");
    let update = update.and_then(|kind| kind.as_str()).unwrap_or_default();
    format!("{} {} {update}", message.kind, message.method)
}

fn whole(message: &Message) -> String {
    format!("{} {} {}", message.kind, message.method, message.body)
}
