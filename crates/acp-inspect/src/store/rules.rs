//! The rules of the protocol that messages break, as far as the lines show it.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use acp_testkit::check::{Rule, observe};
use acp_types::method::Side;

use super::{State, Store};

/// The most messages that are judged: those at the beginning.
const MOST: u64 = 20_000;
/// The most bytes of them.
const MOST_BYTES: u64 = 32 * 1024 * 1024;
/// The part of the time that may go into judging a connection that grows.
const SHARE: u32 = 10;

/// A rule that a message breaks.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) rule: &'static Rule,
    /// The reason, for people.
    pub(crate) reason: String,
    /// The messages that show it.
    pub(crate) messages: Vec<u64>,
}

/// The breaches in the messages that were judged last.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// The number of messages.
    messages: u64,
    /// The time of the judgement, and the time that it took.
    at: Option<(Instant, Duration)>,
    by_seq: HashMap<u64, Vec<Broken>>,
}

impl Store {
    /// Returns the rules that a message breaks, if it is at the beginning of the connection. While
    /// a connection grows, this may lag behind.
    ///
    /// # Errors
    /// Fails if the lines cannot be read.
    pub(crate) fn breaches(&self, seq: u64) -> io::Result<Vec<Broken>> {
        let messages = self.seen().messages.min(MOST);
        let mut judged = self.shared.judged.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_due = judged.at.is_none_or(|(at, took)| at.elapsed() >= took * SHARE);
        if judged.messages != messages && is_due {
            let start = Instant::now();
            judged.by_seq = self.judge(messages)?;
            judged.messages = messages;
            judged.at = Some((start, start.elapsed()));
        }
        Ok(judged.by_seq.get(&seq).cloned().unwrap_or_default())
    }

    fn judge(&self, messages: u64) -> io::Result<HashMap<u64, Vec<Broken>>> {
        let mut by_seq = HashMap::<_, Vec<_>>::new();
        // Of a conversation without its beginning nobody knows what was agreed.
        if self.seen().lost > 0 || !self.lock().has_beginning() {
            return Ok(by_seq);
        }
        let (mut lines, mut bytes) = (Vec::new(), 0);
        let mut seqs = Vec::new();
        for seq in 1..=messages {
            let Some((entry, side)) = self.lock().said(seq) else { break };
            let Some(side) = side else { continue };
            bytes += u64::from(entry.length);
            if bytes > MOST_BYTES {
                break;
            }
            lines.push((side, self.line(&entry, usize::MAX)?));
            seqs.push(seq);
        }
        for breach in observe(lines) {
            let messages: Vec<u64> =
                breach.lines.iter().filter_map(|line| seqs.get(*line)).copied().collect();
            let Some(last) = messages.iter().max().copied() else { continue };
            let broken = Broken { rule: breach.rule, reason: breach.reason, messages };
            by_seq.entry(last).or_default().push(broken);
        }
        Ok(by_seq)
    }
}

impl State {
    /// Returns a message and its side, if it is between the client and its agent.
    fn said(&self, seq: u64) -> Option<(super::Entry, Option<Side>)> {
        let entry = self.entry(seq)?;
        let side = if self.is_of_client(entry) { Side::Client } else { Side::Agent };
        Some((*entry, self.is_in_front(entry).then_some(side)))
    }
}
