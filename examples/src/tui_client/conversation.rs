//! The transcript as lines on a screen.

use std::collections::BTreeMap;

use acp_client::{Change, Transcript};
use ratatui::text::Line;

use super::lines;

/// The entries of a transcript, laid out for a width, with the user's scroll position.
#[derive(Debug, Default)]
pub struct Conversation {
    width: usize,
    /// The lines, by the number of the entry.
    entries: BTreeMap<usize, Vec<Line<'static>>>,
    /// The number of lines below the screen. It is 0 while the screen follows the conversation.
    below: usize,
}

impl Conversation {
    /// Lays out the changed entries. The visible part stays in place, unless it is the end.
    pub fn apply(&mut self, transcript: &Transcript, change: Change) {
        let (Change::Added(number) | Change::Updated(number) | Change::Appended { entry: number, .. }) =
            change
        else {
            return;
        };
        let before = self.height();
        if let Some(entry) = transcript.entry(number) {
            self.entries.insert(number, lines::entry(entry, self.width));
        }
        if self.below > 0 {
            self.below = (self.below + self.height()).saturating_sub(before);
        }
        // A limit has removed these entries.
        let first = transcript.entries().next().map_or(0, |(number, _)| number);
        self.entries = self.entries.split_off(&first);
    }

    /// Lays out everything for this width.
    pub fn resize(&mut self, transcript: &Transcript, width: usize) {
        if self.width == width {
            return;
        }
        self.width = width;
        let entries = transcript.entries().map(|(number, entry)| (number, lines::entry(entry, width)));
        self.entries = entries.collect();
    }

    /// Scrolls a screen of this height.
    pub fn scroll(&mut self, up: bool, lines: usize, height: usize) {
        let most = self.height().saturating_sub(height);
        self.below = if up { (self.below + lines).min(most) } else { self.below.saturating_sub(lines) };
    }

    /// Goes to the end, and follows the conversation.
    pub const fn follow(&mut self) {
        self.below = 0;
    }

    /// Returns the number of lines below the screen.
    #[must_use]
    pub const fn below(&self) -> usize {
        self.below
    }

    /// Returns the lines that a screen of this height shows.
    #[must_use]
    pub fn visible(&self, height: usize) -> Vec<Line<'static>> {
        let below = self.below.min(self.height().saturating_sub(height));
        let from_the_end = self.entries.values().rev().flat_map(|lines| lines.iter().rev());
        let mut visible: Vec<Line<'static>> = from_the_end.skip(below).take(height).cloned().collect();
        visible.reverse();
        visible
    }

    fn height(&self) -> usize {
        self.entries.values().map(Vec::len).sum()
    }
}
