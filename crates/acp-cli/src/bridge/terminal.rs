//! Terminals of an agent of version 2 as text, for a client that has no such terminals.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use acp_agent::types::TerminalId;
use acp_client::{Maybe, TerminalChange, TerminalExit, sanitize};

/// The end of the output that is kept of each terminal, in bytes.
const KEPT: usize = 64 * 1024;
/// The number of terminals that are kept. A session has few at a time.
const TERMINALS: usize = 64;
/// The shortest time between two updates of a tool call that shows a terminal.
const PAUSE: Duration = Duration::from_millis(100);

/// The terminals of a session.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    all: VecDeque<(TerminalId, Terminal)>,
}

#[derive(Debug, Default)]
struct Terminal {
    output: Vec<u8>,
    exit: Option<TerminalExit>,
    shown: Option<Instant>,
}

impl Terminals {
    /// Takes in a change. Returns true if it is time to show it.
    pub(super) fn change(&mut self, id: &TerminalId, change: TerminalChange) -> bool {
        let known = self.all.iter().position(|(known, _)| known == id).and_then(|at| self.all.remove(at));
        let mut terminal = known.map(|(_, terminal)| terminal).unwrap_or_default();
        let is_due = terminal.change(change);
        if self.all.len() == TERMINALS {
            self.all.pop_front();
        }
        self.all.push_back((id.clone(), terminal));
        is_due
    }

    /// Returns the text of a terminal: the end of its output, and how the command has ended.
    pub(super) fn text(&self, id: &TerminalId) -> String {
        let Some((_, terminal)) = self.all.iter().find(|(known, _)| known == id) else {
            return String::new();
        };
        let mut text = sanitize::strip_ansi(&String::from_utf8_lossy(&terminal.output)).into_owned();
        if let Some(exit) = &terminal.exit {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&end(exit));
        }
        text
    }
}

impl Terminal {
    fn change(&mut self, change: TerminalChange) -> bool {
        let has_ended = match change {
            TerminalChange::Updated(update) => {
                take(&mut self.output, update.output);
                match update.exit {
                    Maybe::Absent => {}
                    Maybe::Null => self.exit = None,
                    Maybe::Value(exit) => self.exit = Some(exit),
                }
                self.exit.is_some()
            }
            TerminalChange::Output { bytes, .. } => {
                self.output.extend_from_slice(&bytes);
                false
            }
            _ => return false,
        };
        let excess = self.output.len().saturating_sub(KEPT);
        self.output.drain(..excess);
        let now = Instant::now();
        let is_due = has_ended || self.shown.is_none_or(|shown| now.duration_since(shown) >= PAUSE);
        if is_due {
            self.shown = Some(now);
        }
        is_due
    }
}

fn take<T: Default>(member: &mut T, patch: Maybe<T>) {
    match patch {
        Maybe::Absent => {}
        Maybe::Null => *member = T::default(),
        Maybe::Value(value) => *member = value,
    }
}

fn end(exit: &TerminalExit) -> String {
    match (exit.code, &exit.signal) {
        (_, Some(signal)) => format!("[ended by {signal}]"),
        (Some(code), None) => format!("[exit status {code}]"),
        (None, None) => "[ended]".to_owned(),
    }
}
