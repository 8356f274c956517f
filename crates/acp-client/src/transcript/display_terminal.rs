//! Terminals in which the agent runs commands.

use std::borrow::Cow;

use acp_types::v1::TerminalId;
use acp_types::{Maybe, Meta};

use super::content;
use super::output::Output;
use crate::event::{TerminalChange, TerminalExit, TerminalSize, TerminalUpdate};

/// A terminal of a [`Transcript`](crate::Transcript), in which the agent runs a command. Content of
/// tool runs refers to it by its id.
///
/// The newest 1 MiB of its output is kept.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DisplayTerminal {
    /// The agent's id of the terminal.
    pub id: TerminalId,
    /// The command that runs in it, if it is known.
    pub command: Option<String>,
    /// The directory of the command, if it is known.
    pub cwd: Option<String>,
    /// The end of the command. `None` while it runs.
    pub exit: Option<TerminalExit>,
    /// The size that the command writes for, if it is known.
    pub size: Option<TerminalSize>,
    /// Data of extensions.
    pub meta: Option<Meta>,
    pub(super) output: Output,
}

impl DisplayTerminal {
    pub(super) fn new(id: TerminalId) -> Self {
        Self { id, command: None, cwd: None, exit: None, size: None, meta: None, output: Output::default() }
    }

    /// Returns the newest bytes that the command has printed, escape sequences and all.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        self.output.as_bytes()
    }

    /// Returns the number of bytes that are not kept, before [`output`](Self::output).
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.output.dropped()
    }

    /// Returns the output as text. A character whose last bytes are still to come is left out. To
    /// show it without a terminal emulator, use [`strip_ansi`](crate::sanitize::strip_ansi) and
    /// [`text`](crate::sanitize::text).
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        self.output.text()
    }

    pub(super) fn change(&mut self, change: TerminalChange) {
        match change {
            TerminalChange::Updated(update) => self.update(update),
            TerminalChange::Output { bytes, .. } => self.output.append(&bytes),
        }
    }

    fn update(&mut self, update: TerminalUpdate) {
        let TerminalUpdate { command, cwd, output, exit, size, meta } = update;
        command.apply(&mut self.command);
        cwd.apply(&mut self.cwd);
        exit.apply(&mut self.exit);
        size.apply(&mut self.size);
        content::patch_meta(&mut self.meta, meta);
        match output {
            Maybe::Absent => {}
            Maybe::Null => self.output = Output::default(),
            Maybe::Value(bytes) => self.output = Output::new(bytes, 0),
        }
    }
}
