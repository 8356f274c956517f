//! Colours, and text that cannot play tricks on the terminal.

use std::borrow::Cow;
use std::fmt;
use std::io::IsTerminal;

/// Whether to write colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    colours: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    /// Colours when stdout is a terminal and the user has not set `NO_COLOR`.
    pub(crate) fn detect() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { colours: std::io::stdout().is_terminal() && !unwanted }
    }

    #[cfg(test)]
    pub(crate) const fn new(colours: bool) -> Self {
        Self { colours }
    }

    /// What somebody else wrote, in a look.
    pub(crate) const fn paint<'a>(&self, look: Look, text: &'a str) -> Painted<'a> {
        Painted { look: if self.colours { look } else { Look::Plain }, text }
    }
}

pub(crate) struct Painted<'a> {
    look: Look,
    text: &'a str,
}

impl fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = match self.look {
            Look::Plain => return Clean(self.text).fmt(f),
            Look::Dim => "\x1b[2m",
            Look::Bold => "\x1b[1m",
            Look::Red => "\x1b[31m",
            Look::Green => "\x1b[32m",
            Look::Yellow => "\x1b[33m",
            Look::Cyan => "\x1b[36m",
        };
        write!(f, "{start}{}\x1b[0m", Clean(self.text))
    }
}

/// Text of the agent without control characters: an escape sequence in a file or an answer could otherwise move the
/// cursor and hide what the user is asked to permit. Nor with those that turn the direction of writing around.
pub(crate) struct Clean<'a>(pub(crate) &'a str);

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(plays_tricks) {
            let (clean, tail) = rest.split_at(at);
            f.write_str(clean)?;
            let mut tail = tail.chars();
            // A return before a line's end is how some systems end lines.
            if tail.next() != Some('\r') {
                f.write_str("\u{fffd}")?;
            }
            rest = tail.as_str();
        }
        f.write_str(rest)
    }
}

fn plays_tricks(c: char) -> bool {
    let turns_writing = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns_writing || (c.is_control() && c != '\n' && c != '\t')
}

/// Text that has one line to itself: what comes after a line break could otherwise pass for lines of ours.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains('\n') { Cow::Owned(text.replace('\n', " ")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            Clean("a\r\n\tb\u{1b}[2Jc\u{7}\u{9b}d").to_string(),
            "a\n\tb\u{fffd}[2Jc\u{fffd}\u{fffd}d"
        );
        assert_eq!(Clean("see \u{202e}txt.exe\u{2069}").to_string(), "see \u{fffd}txt.exe\u{fffd}");
        assert_eq!(Style::new(true).paint(Look::Dim, "x\u{1b}").to_string(), "\u{1b}[2mx\u{fffd}\u{1b}[0m");
        assert_eq!(Style::new(false).paint(Look::Dim, "x").to_string(), "x");
    }
}
