//! The questions of the agent that wait for a person.

use serde_json::Value;

/// The most questions that wait at once. One more is refused.
const MOST: usize = 1000;
/// The longest id of a question and of its session, in bytes of JSON.
const LONGEST_ID: usize = 4096;

/// A question for permission.
#[derive(Debug)]
struct Question {
    id: Value,
    session: String,
}

/// The questions that wait, in the order in which they came. The store has them too, but learns of
/// them a moment later.
#[derive(Debug, Default)]
pub(super) struct Questions {
    waiting: Vec<Question>,
}

impl Questions {
    /// Adds a question if there is room, and returns whether there was.
    pub(super) fn add(&mut self, id: &Value, session: &str) -> bool {
        let is_short = id.to_string().len() <= LONGEST_ID && session.len() <= LONGEST_ID;
        if self.waiting.len() >= MOST || !is_short {
            return false;
        }
        self.waiting.push(Question { id: id.clone(), session: session.to_owned() });
        true
    }

    /// Takes a question out. Returns false if it does not wait.
    pub(super) fn take(&mut self, id: &Value) -> bool {
        let at = self.waiting.iter().position(|question| question.id == *id);
        at.map(|at| self.waiting.remove(at)).is_some()
    }

    /// Returns true if a question waits.
    pub(super) fn has(&self, id: &Value) -> bool {
        self.waiting.iter().any(|question| question.id == *id)
    }

    /// Returns the ids of all questions of a session.
    pub(super) fn of(&self, session: &str) -> Vec<Value> {
        let of_session = self.waiting.iter().filter(|question| question.session == session);
        of_session.map(|question| question.id.clone()).collect()
    }
}
