//! The transcript as lines on a screen.

use std::collections::BTreeMap;

use acp_client::{Change, Transcript};
use ratatui::text::Line;

use super::lines;

/// The entries of a transcript, laid out for a width, and how far the user has scrolled.
#[derive(Debug, Default)]
pub struct Conversation {
    width: usize,
    /// By the number of the entry.
    entries: BTreeMap<usize, Vec<Line<'static>>>,
    /// How many lines are below the screen: none while it follows the conversation.
    below: usize,
}

impl Conversation {
    /// Lays out what has changed. What the user looks at stays where it is, unless that is the end.
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
        // Those that a limit has put out.
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

    /// How many lines are below the screen.
    #[must_use]
    pub const fn below(&self) -> usize {
        self.below
    }

    /// What a screen of this height shows.
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
