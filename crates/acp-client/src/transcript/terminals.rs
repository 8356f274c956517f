//! The terminals of a transcript, in order and by id.

use std::collections::{HashMap, VecDeque};

use acp_types::v1::TerminalId;

use super::DisplayTerminal;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Terminals {
    list: VecDeque<DisplayTerminal>,
    /// The number of the oldest terminal.
    first: usize,
    by_id: HashMap<TerminalId, usize>,
}

impl Terminals {
    /// Creates a list whose first terminal will have this number.
    pub(super) fn starting_at(first: usize) -> Self {
        Self { first, ..Self::default() }
    }

    pub(super) const fn first(&self) -> usize {
        self.first
    }

    pub(super) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, &DisplayTerminal)> + ExactSizeIterator {
        self.list.iter().enumerate().map(|(index, terminal)| (self.first + index, terminal))
    }

    pub(super) fn find(&self, id: &TerminalId) -> Option<&DisplayTerminal> {
        self.list.get(self.by_id.get(id)?.checked_sub(self.first)?)
    }

    /// Returns the terminal with this id, with its number.
    pub(super) fn find_mut(&mut self, id: &TerminalId) -> Option<(usize, &mut DisplayTerminal)> {
        let number = *self.by_id.get(id)?;
        Some((number, self.list.get_mut(number.checked_sub(self.first)?)?))
    }

    /// Adds a terminal and returns its number.
    pub(super) fn push(&mut self, terminal: DisplayTerminal, limit: Option<usize>) -> usize {
        let number = self.first + self.list.len();
        self.by_id.insert(terminal.id.clone(), number);
        self.list.push_back(terminal);
        self.shorten(limit);
        number
    }

    pub(super) fn shorten(&mut self, limit: Option<usize>) {
        while limit.is_some_and(|limit| self.list.len() > limit) {
            let Some(oldest) = self.list.pop_front() else { break };
            self.by_id.remove(&oldest.id);
            self.first += 1;
        }
    }
}
