//! The lanes of the MCP servers that a client lends to an agent, over the connection of the
//! protocol.

use std::collections::HashMap;

use super::entry::Marks;

/// The beginning of the name of a lane, and the lane of servers that nobody has declared.
const MCP: &str = "mcp";
/// The most ids that are known. Each session may have ids of its own.
const MOST_IDS: usize = 4096;

/// The lanes of servers. Servers of one name share a lane: each session declares them anew.
#[derive(Debug, Default)]
pub(super) struct Servers {
    names: Vec<String>,
    by_id: HashMap<String, u8>,
    has_unknown: bool,
}

impl Servers {
    /// Takes note of a server that a session has.
    pub(super) fn declare(&mut self, id: String, name: &str) {
        if self.by_id.len() >= MOST_IDS {
            return;
        }
        let name = format!("{MCP}/{name}");
        let found = self.names.iter().position(|known| *known == name);
        let at = found.or_else(|| {
            let has_room = self.names.len() < usize::from(Marks::MOST_LINKS);
            has_room.then(|| {
                self.names.push(name);
                self.names.len() - 1
            })
        });
        if let Some(number) = at.and_then(|at| u8::try_from(at + 1).ok()) {
            self.by_id.insert(id, number);
        }
    }

    /// Returns the number of the lane of a server that gets a message. It is 0 for one that nobody
    /// has declared.
    pub(super) fn number(&mut self, id: Option<&str>) -> u8 {
        let number = id.and_then(|id| self.by_id.get(id)).copied().unwrap_or_default();
        self.has_unknown |= number == 0;
        number
    }

    /// Returns the lane of a number.
    pub(super) fn lane(&self, number: u8) -> &str {
        let at = usize::from(number).checked_sub(1);
        at.and_then(|at| self.names.get(at)).map_or(MCP, String::as_str)
    }

    /// Returns all lanes.
    pub(super) fn lanes(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str).chain(self.has_unknown.then_some(MCP))
    }
}
