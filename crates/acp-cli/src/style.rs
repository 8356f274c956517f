//! Colours, and harmless text for the terminal.

use std::fmt;
use std::io::IsTerminal;

use acp_client::sanitize;

/// The choice to write colours or not.
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
    /// Chooses colours if stdout is a terminal that has them and the user has not set `NO_COLOR`.
    pub(crate) fn detect() -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { colours: std::io::stdout().is_terminal() && !unwanted && !is_dumb }
    }

    /// Never chooses colours.
    pub(crate) const fn plain() -> Self {
        Self { colours: false }
    }

    /// Returns true if colours are chosen.
    pub(crate) const fn has_colours(self) -> bool {
        self.colours
    }

    #[cfg(test)]
    pub(crate) const fn new(colours: bool) -> Self {
        Self { colours }
    }

    /// Returns foreign text, made harmless, in a look.
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
            Look::Plain => return f.write_str(&sanitize::text(self.text)),
            Look::Dim => "\x1b[2m",
            Look::Bold => "\x1b[1m",
            Look::Red => "\x1b[31m",
            Look::Green => "\x1b[32m",
            Look::Yellow => "\x1b[33m",
            Look::Cyan => "\x1b[36m",
        };
        write!(f, "{start}{}\x1b[0m", sanitize::text(self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(Style::new(true).paint(Look::Dim, "x\u{1b}").to_string(), "\u{1b}[2mx\u{fffd}\u{1b}[0m");
        assert_eq!(Style::new(false).paint(Look::Dim, "x").to_string(), "x");
    }
}
