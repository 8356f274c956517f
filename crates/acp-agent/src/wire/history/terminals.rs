//! Terminals of a session's records, as text.

use std::collections::HashMap;

use acp_json::{Node, ReadError};
use acp_types::v2::TerminalUpdate;
use acp_types::{Maybe, base64};

use super::{TERMINAL, text_of};

/// The most output of a terminal that is shown, in bytes: its end.
const SHOWN: usize = 64 * 1024;

/// The terminals whose calls may still show them.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    by_id: HashMap<Box<str>, Terminal>,
}

#[derive(Debug, Default)]
struct Terminal {
    output: Vec<u8>,
    /// The line about its end, once it has ended.
    end: Option<String>,
    /// Set if it has changed since it was shown.
    has_changed: bool,
}

impl Terminals {
    pub(super) fn update(&mut self, update: Node<'_>) -> Result<(), ReadError> {
        let update: TerminalUpdate = acp_json::read(update)?;
        let terminal = self.by_id.entry(update.terminal_id.as_str().into()).or_default();
        match update.output {
            Maybe::Absent => {}
            Maybe::Null => terminal.output.clear(),
            Maybe::Value(output) => {
                terminal.output.clear();
                terminal.add(&output.data);
            }
        }
        if let Maybe::Value(status) = update.exit_status {
            terminal.end = Some(match (status.exit_code, status.signal) {
                (_, Some(signal)) => format!("ended by signal {signal}"),
                (Some(code), None) => format!("exit code {code}"),
                (None, None) => "ended".to_owned(),
            });
        }
        terminal.has_changed = true;
        Ok(())
    }

    pub(super) fn output(&mut self, update: &Node<'_>) {
        let terminal =
            self.by_id.entry(text_of(update, "terminalId").unwrap_or_default().into()).or_default();
        terminal.add(text_of(update, "data").unwrap_or_default());
        terminal.has_changed = true;
    }

    pub(super) fn has_changed(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|terminal| terminal.has_changed)
    }

    /// Returns whether the terminal has ended. It may come after its call (rule `v2-term-03`).
    pub(super) fn is_over(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|terminal| terminal.end.is_some())
    }

    pub(super) fn forget(&mut self, ids: &[Box<str>]) {
        for id in ids {
            self.by_id.remove(id);
        }
    }

    /// Returns the end of a terminal's output and the line about its end.
    pub(super) fn text(&mut self, id: &str) -> String {
        let Some(terminal) = self.by_id.get_mut(id) else { return TERMINAL.to_owned() };
        terminal.has_changed = false;
        if terminal.output.is_empty() && terminal.end.is_none() {
            return TERMINAL.to_owned();
        }
        let mut text = without_escapes(&String::from_utf8_lossy(&terminal.output));
        if let Some(end) = &terminal.end {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(end);
        }
        fenced("", &text)
    }
}

impl Terminal {
    /// Adds output, and forgets what is too far from its end. Each piece is base64 by itself, and
    /// one that is not adds nothing.
    fn add(&mut self, data: &str) {
        self.output.extend(base64::decode(data).unwrap_or_default());
        let over = self.output.len().saturating_sub(SHOWN);
        self.output.drain(..over);
    }
}

/// Returns the text as a block of code, which a row of backticks in it does not end.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// Removes the sequences that control a terminal: they have no meaning in a text.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                Some('[') => drop(letters.find(|letter| matches!(letter, '@'..='~'))),
                Some(']' | 'P' | '_' | '^' | 'X') => skip_string(&mut letters),
                Some(' '..='/') => drop(letters.next()),
                _ => {}
            },
            '\n' | '\t' => plain.push(letter),
            letter if letter.is_control() => {}
            letter => plain.push(letter),
        }
    }
    plain
}

/// Passes over a string up to its end, which is a bell or an escape with a backslash.
fn skip_string(letters: &mut impl Iterator<Item = char>) {
    while let Some(letter) = letters.next() {
        match letter {
            '\u{7}' => return,
            '\u{1b}' => {
                letters.next();
                return;
            }
            _ => {}
        }
    }
}
