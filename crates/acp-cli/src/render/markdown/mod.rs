//! Markdown with colours, line by line as it comes.
//!
//! A text comes in pieces. Each character is shown as soon as its look is known, and never twice. A
//! span is held back until its end has come, and shown as it stands if its line ends before that.
//! Tables stay as they are. The text has been made harmless before.

mod block;
mod inline;

use block::{Opening, opening};
use inline::Inline;

/// The look of code, of headings, and of quotations: parameters of SGR.
const CODE: &str = "36";
const HEADING: &str = "1";
const QUOTE: &str = "2";
const DIM: &str = "2";
/// The longest beginning of a line that is held back, in bytes.
const MOST_HELD: usize = 400;

/// The state between two pieces of a text.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    place: Place,
    /// The beginning of a line whose kind is not known yet.
    held: String,
    inline: Inline,
    /// The fence of the block of code that the text is in.
    fence: Option<Fence>,
    out: String,
}

/// The place of the next character in its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// In a line that opens a block of code.
    Fence,
    Code,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    sign: char,
    length: usize,
}

impl Markdown {
    /// Takes a piece and returns what can be shown.
    pub(crate) fn push(&mut self, text: &str) -> String {
        text.chars().for_each(|char| self.take(char));
        std::mem::take(&mut self.out)
    }

    /// Ends the text. Returns the rest of it, and the end of its colours.
    pub(crate) fn finish(&mut self) -> String {
        self.end_line();
        self.place = Place::Start;
        self.fence = None;
        std::mem::take(&mut self.out)
    }

    fn take(&mut self, char: char) {
        if char == '\n' {
            self.end_line();
            self.place = Place::Start;
            self.out.push('\n');
            return;
        }
        match self.place {
            Place::Code => self.out.push(char),
            Place::Text => self.inline.take(char, &mut self.out),
            Place::Start | Place::Fence => {
                self.held.push(char);
                match self.fence {
                    Some(fence) => self.begin_code(fence),
                    None => self.begin(),
                }
            }
        }
    }

    /// Begins a line in a block of code, unless it may end the block.
    fn begin_code(&mut self, fence: Fence) {
        if fence.may_end_with(&self.held) && self.held.len() < MOST_HELD {
            return;
        }
        open(CODE, &mut self.out);
        self.out.push_str(&std::mem::take(&mut self.held));
        self.place = Place::Code;
    }

    /// Begins a line as soon as its kind is known.
    fn begin(&mut self) {
        let kind = opening(&self.held);
        match kind {
            Opening::Unknown | Opening::Fence(_) | Opening::Rule if self.held.len() < MOST_HELD => {
                self.place = if matches!(kind, Opening::Fence(_)) { Place::Fence } else { Place::Start };
            }
            Opening::Heading => self.begin_text(HEADING, ""),
            Opening::Quote => self.begin_text(QUOTE, "│ "),
            Opening::Item { indent } => {
                let sign = format!("{}• ", " ".repeat(indent));
                self.begin_text("", &sign);
            }
            _ => {
                let held = std::mem::take(&mut self.held);
                self.begin_text("", "");
                held.chars().for_each(|char| self.inline.take(char, &mut self.out));
            }
        }
    }

    /// Begins the text of a line, in place of the signs before it.
    fn begin_text(&mut self, base: &'static str, sign: &str) {
        self.held.clear();
        self.place = Place::Text;
        open(base, &mut self.out);
        self.out.push_str(sign);
        self.inline = Inline::new(base);
    }

    fn end_line(&mut self) {
        match self.place {
            Place::Code => close(CODE, &mut self.out),
            Place::Text => {
                let base = self.inline.end(&mut self.out);
                close(base, &mut self.out);
            }
            Place::Start | Place::Fence => self.end_held(),
        }
    }

    /// Ends a line that was held back to its end.
    fn end_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        if let Some(fence) = self.fence {
            let is_end = fence.ends_with(&held);
            if is_end {
                self.fence = None;
            }
            self.painted(if is_end { DIM } else { CODE }, &held);
            return;
        }
        match opening(&held) {
            Opening::Fence(fence) => {
                self.fence = Some(fence);
                self.painted(DIM, &held);
            }
            Opening::Rule => self.painted(DIM, &"─".repeat(24)),
            _ => {
                self.inline = Inline::new("");
                held.chars().for_each(|char| self.inline.take(char, &mut self.out));
                self.inline.end(&mut self.out);
            }
        }
    }

    fn painted(&mut self, look: &str, text: &str) {
        if !text.is_empty() {
            open(look, &mut self.out);
            self.out.push_str(text);
            close(look, &mut self.out);
        }
    }
}

impl Fence {
    /// Returns true if a line with this beginning may end the block.
    fn may_end_with(self, line: &str) -> bool {
        let signs = line.trim_start_matches(' ');
        let signs = if line.len() - signs.len() > 3 { return false } else { signs };
        let rest = signs.trim_start_matches(self.sign);
        let count = signs.chars().count() - rest.chars().count();
        rest.is_empty() || (count >= self.length && rest.trim().is_empty())
    }

    fn ends_with(self, line: &str) -> bool {
        let signs = line.trim();
        self.may_end_with(line) && signs.chars().count() >= self.length
    }
}

/// Begins a look. An empty one is the terminal's own.
fn open(look: &str, out: &mut String) {
    if !look.is_empty() {
        out.push_str("\x1b[");
        out.push_str(look);
        out.push('m');
    }
}

fn close(look: &str, out: &mut String) {
    if !look.is_empty() {
        out.push_str("\x1b[0m");
    }
}

#[cfg(test)]
mod tests;
