//! Spans within a line: code, emphasis, and escaped signs.

use super::{CODE, MOST_HELD, close, open};

/// The state within a line.
#[derive(Debug, Default)]
pub(super) struct Inline {
    /// The look of the line.
    base: String,
    /// A span without its end, from its first sign on.
    held: String,
    /// The character before that.
    before: Option<char>,
}

/// The knowledge about a span that is held.
enum Span {
    /// It may go on.
    Open,
    /// Its signs are no span. So many bytes of them are text.
    Text(usize),
    /// It has ended, with this look and this text between its signs.
    Closed { look: &'static str, text: String },
}

impl Inline {
    pub(super) fn new(base: &str) -> Self {
        Self { base: base.to_owned(), ..Self::default() }
    }

    pub(super) fn take(&mut self, char: char, out: &mut String) {
        if self.held.is_empty() {
            if matches!(char, '`' | '*' | '_' | '\\') {
                self.held.push(char);
            } else {
                self.plain(char, out);
            }
            return;
        }
        match self.span(Some(char)) {
            Span::Open if self.held.len() < MOST_HELD => self.held.push(char),
            Span::Open => {
                self.give_up(self.held.len(), out);
                self.take(char, out);
            }
            Span::Text(count) => {
                self.give_up(count, out);
                self.take(char, out);
            }
            Span::Closed { look, text } => {
                self.closed(look, &text, out);
                self.take(char, out);
            }
        }
    }

    /// Ends the line. Returns the look that is open then.
    pub(super) fn end(&mut self, out: &mut String) -> &'static str {
        while !self.held.is_empty() {
            match self.span(None) {
                Span::Closed { look, text } => self.closed(look, &text, out),
                Span::Text(count) => self.give_up(count, out),
                Span::Open => self.give_up(self.run(), out),
            }
        }
        self.before = None;
        if self.base.is_empty() { "" } else { super::HEADING }
    }

    /// Returns the length of the signs that the held span begins with.
    fn run(&self) -> usize {
        let sign = self.held.chars().next().unwrap_or_default();
        self.held.len() - self.held.trim_start_matches(sign).len()
    }

    fn plain(&mut self, char: char, out: &mut String) {
        out.push(char);
        self.before = Some(char);
    }

    /// Shows the first of the held bytes as text, and reads the rest again.
    fn give_up(&mut self, count: usize, out: &mut String) {
        let held = std::mem::take(&mut self.held);
        let (text, rest) = held.split_at_checked(count).unwrap_or((held.as_str(), ""));
        text.chars().for_each(|char| self.plain(char, out));
        rest.chars().for_each(|char| self.take(char, out));
    }

    fn closed(&mut self, look: &str, text: &str, out: &mut String) {
        self.held.clear();
        if look.is_empty() {
            // An escaped sign.
            text.chars().for_each(|char| self.plain(char, out));
            return;
        }
        close(&self.base, out);
        let whole = if self.base.is_empty() { look.to_owned() } else { format!("{};{look}", self.base) };
        open(&whole, out);
        if look == CODE {
            out.push_str(text);
        } else {
            let mut inner = Self::new(&whole);
            text.chars().for_each(|char| inner.take(char, out));
            inner.end(out);
        }
        close(&whole, out);
        open(&self.base, out);
        self.before = text.chars().next_back();
    }

    /// Looks at the held span. The next character is not a part of it yet; `None` is the end of the
    /// line.
    fn span(&self, next: Option<char>) -> Span {
        let Some(sign) = self.held.chars().next() else { return Span::Open };
        if sign == '\\' {
            return match next {
                Some(next) if next.is_ascii_punctuation() && self.held.len() == 1 => Span::Open,
                _ if self.held.len() > 1 => {
                    Span::Closed { look: "", text: self.held.chars().skip(1).collect() }
                }
                _ => Span::Text(1),
            };
        }
        let behind = self.held.trim_start_matches(sign);
        let length = self.run();
        if next == Some(sign) {
            // The run of signs is not at its end.
            return Span::Open;
        }
        if behind.is_empty() {
            return if self.may_open(sign, length, next) { Span::Open } else { Span::Text(length) };
        }
        let text = behind.trim_end_matches(sign);
        if behind.len() - text.len() != length || text.is_empty() {
            return Span::Open;
        }
        let is_word = next.is_some_and(char::is_alphanumeric);
        match sign {
            '`' => Span::Closed { look: CODE, text: trimmed(text).to_owned() },
            _ if text.ends_with(char::is_whitespace) || (sign == '_' && is_word) => Span::Open,
            _ => Span::Closed { look: emphasis(length), text: text.to_owned() },
        }
    }

    fn may_open(&self, sign: char, length: usize, next: Option<char>) -> bool {
        if sign == '`' {
            return next.is_some();
        }
        let is_in_word = sign == '_' && self.before.is_some_and(char::is_alphanumeric);
        length <= 3 && !is_in_word && next.is_some_and(|next| !next.is_whitespace())
    }
}

/// Returns the text of a span of code. A space at both sides is there for a sign beside it.
fn trimmed(text: &str) -> &str {
    let inner = text.strip_prefix(' ').and_then(|text| text.strip_suffix(' '));
    inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(text)
}

const fn emphasis(length: usize) -> &'static str {
    match length {
        1 => "3",
        2 => "1",
        _ => "1;3",
    }
}
