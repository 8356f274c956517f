//! The turns of a session in its transcript: prompts that the agent repeats, and ends that it
//! repeats.

use std::collections::HashSet;
use std::io;

use serde_json::Value;

use super::PARSED;
use crate::store::Store;
use crate::store::entry::{Entry, Kind};

/// The most messages that are looked at before a page.
const LOOK: u64 = 100_000;
/// The most states that are read before a page. The last ones tell whether the session is at work.
const STATES: usize = 32;

/// The activity of a session in version 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Activity {
    /// Nothing was heard since the last prompt, if there was one.
    #[default]
    Unknown,
    Busy,
    Idle,
}

/// The turns of a session up to a message.
#[derive(Debug, Default)]
pub(super) struct Turns {
    activity: Activity,
    /// The ids of the messages that prompts became.
    prompts: HashSet<String>,
}

impl Turns {
    /// Returns the turns of a session up to a message.
    pub(super) fn before(store: &Store, session: &str, after: u64) -> io::Result<Self> {
        let mut turns = Self::default();
        let (prompt, states) = last(store, session, after);
        if let Some(entry) = prompt {
            turns.prompted(store, &entry)?;
        }
        for entry in states.iter().rev() {
            let value = read(store, entry)?;
            if let Some(update) = value.as_ref().and_then(|value| value.pointer("/params/update")) {
                turns.ends(update);
            }
        }
        Ok(turns)
    }

    /// Takes note of a prompt.
    pub(super) fn prompted(&mut self, store: &Store, prompt: &Entry) -> io::Result<()> {
        self.activity = Activity::Unknown;
        let answer = answer(store, prompt)?;
        let id =
            answer.as_ref().and_then(|answer| answer.pointer("/result/messageId")).and_then(Value::as_str);
        self.prompts.extend(id.map(str::to_owned));
        Ok(())
    }

    /// Returns true for the id of a message that repeats a prompt.
    pub(super) fn is_prompt(&self, id: &str) -> bool {
        self.prompts.contains(id)
    }

    /// Takes note of a state, and returns true if it ends a turn. A turn ends when a busy session
    /// becomes idle. A repeat ends nothing. An idle that comes before its session was busy may be of
    /// an earlier time, unless it says why it has stopped.
    pub(super) fn ends(&mut self, update: &Value) -> bool {
        let is_idle = update.get("state").and_then(Value::as_str) == Some("idle");
        let has_reason = update.get("stopReason").is_some_and(|reason| !reason.is_null());
        let is_end = match self.activity {
            Activity::Busy => is_idle,
            Activity::Unknown => is_idle && has_reason,
            Activity::Idle => false,
        };
        if is_end {
            self.activity = Activity::Idle;
        } else if !is_idle {
            self.activity = Activity::Busy;
        }
        is_end
    }
}

/// Reads the answer to a request.
pub(super) fn answer(store: &Store, request: &Entry) -> io::Result<Option<Value>> {
    let found = store.lock().entry(u64::from(request.pair)).copied();
    found.map_or(Ok(None), |entry| read(store, &entry))
}

fn read(store: &Store, entry: &Entry) -> io::Result<Option<Value>> {
    if entry.length as usize > PARSED {
        return Ok(None);
    }
    Ok(serde_json::from_slice(&store.line(entry, PARSED)?).ok())
}

/// Returns the last prompt of a session up to a message, and the states behind it, the last one
/// first.
fn last(store: &Store, session: &str, after: u64) -> (Option<Entry>, Vec<Entry>) {
    let state = store.lock();
    let mut states = Vec::new();
    for seq in (after.saturating_sub(LOOK).max(1)..=after).rev() {
        let Some(entry) = state.entry(seq) else { continue };
        if state.sessions.name(entry.session) != Some(session) || !state.is_in_front(entry) {
            continue;
        }
        if entry.kind == Kind::Request && state.methods.name(entry.method) == Some("session/prompt") {
            return (Some(*entry), states);
        }
        if state.updates.name(entry.update) == Some("state_update") && states.len() < STATES {
            states.push(*entry);
        }
    }
    (None, states)
}
