//! The members that an unreadable line shows of itself.

use acp_json::Outline;

use super::message::Id;

/// Members that could be found in a message that is too long, too heavy or not JSON. Only members
/// of its outermost object count, wherever they stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The id, if it has a valid one that was not cut off.
    pub id: Option<Id>,
    /// It has a `method` or `params`.
    pub is_call: bool,
    /// It has a `result` or an `error`.
    pub is_response: bool,
}

/// Looks for a head in bytes that go by.
#[derive(Debug)]
pub(crate) struct Heading(Outline<5>);

impl Default for Heading {
    fn default() -> Self {
        Self(Outline::of(["id", "method", "params", "result", "error"]))
    }
}

impl Heading {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    pub(crate) fn head(&self) -> Head {
        Head {
            id: self.0.value("id").as_ref().and_then(Id::from_node),
            is_call: self.0.has("method") || self.0.has("params"),
            is_response: self.0.has("result") || self.0.has("error"),
        }
    }
}

impl Head {
    /// Returns the head of a line that is in memory.
    #[must_use]
    pub fn of(line: &[u8]) -> Self {
        let mut heading = Heading::default();
        heading.push(line);
        heading.head()
    }
}
