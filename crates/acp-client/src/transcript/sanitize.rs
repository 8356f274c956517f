//! Text of others for a screen, without characters that deceive the reader.
//!
//! Titles, names of options, file contents and errors come from the agent and from its sources. On
//! a terminal an escape sequence could hide the question, and a line break could fake an option.
//! Characters without a width, and those that turn the direction of writing, can make one name look
//! like another. Clients without a terminal need the same protection, apart from the escape
//! sequences.
//!
//! ```
//! use acp_client::sanitize;
//!
//! assert_eq!(sanitize::text("safe\u{202e}fdp.exe"), "safe\u{fffd}fdp.exe");
//! assert_eq!(sanitize::label("Yes\n  2 No", 80), "Yes 2 No");
//! assert_eq!(sanitize::strip_ansi("\u{1b}[31merror\u{1b}[0m: no key"), "error: no key");
//! ```

use std::borrow::Cow;

/// Cleans a text of several lines. Characters that [deceive](deceives) become U+FFFD. Line breaks
/// and tabs stay, and carriage returns are left out.
#[must_use]
pub fn text(text: &str) -> Cow<'_, str> {
    if !text.contains(deceives) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().filter_map(|c| match c {
        // A part of the line ends of some systems.
        '\r' => None,
        c if deceives(c) => Some(char::REPLACEMENT_CHARACTER),
        c => Some(c),
    });
    Cow::Owned(shown.collect())
}

/// Cleans a text for one line, like [`text`], with a space for each line break.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    match self::text(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', " ")),
        shown => shown,
    }
}

/// Cleans a title or a name for one line and this many characters, like [`line()`]. Each stretch of
/// white space becomes one space, so that padding cannot move the rest to a line of its own. A
/// longer text ends in `…`.
#[must_use]
pub fn label(text: &str, most: usize) -> String {
    let shown = self::text(text);
    let words: Vec<&str> = shown.split_whitespace().collect();
    shortened(&words.join(" "), most).into_owned()
}

/// Cuts a text after this many characters. A longer text ends in `…`.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    Cow::Owned(kept + "…")
}

/// Returns true for a control character other than a line break or tab, and for a character that
/// has no width, separates lines unexpectedly, or turns the direction of writing.
#[must_use]
pub fn deceives(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Removes the escape sequences of terminals from text that a program wrote for a terminal, such as
/// an agent's stderr. Other characters that [deceive](deceives) stay: see [`text`].
#[must_use]
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    let begins = |c: char| matches!(c, '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}');
    if !text.contains(begins) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begins) {
        let (plain, sequence) = rest.split_at(at);
        kept.push_str(plain);
        rest = behind_sequence(sequence);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns the text behind the sequence that it begins with.
fn behind_sequence(text: &str) -> &str {
    let mut chars = text.chars();
    let first = chars.next();
    let kind = if first == Some('\u{1b}') { chars.next() } else { first };
    let rest = chars.as_str();
    match kind {
        // Parameters, then a letter.
        Some('[' | '\u{9b}') => one_of('@'..='~', rest.trim_start_matches(|c| matches!(c, ' '..='?'))),
        // A string with its own end mark. Without one it counts as a stray, so that no line is lost
        // with it.
        Some(']' | 'P' | 'X' | '^' | '_' | '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => {
            let line = rest.find('\n').map_or(rest, |end| rest.split_at(end).0);
            let ends = [("\u{7}", 1), ("\u{1b}\\", 2), ("\u{9c}", 2)];
            let end = ends.iter().filter_map(|(end, bytes)| line.find(end).map(|at| at + bytes)).min();
            end.and_then(|end| rest.get(end..)).unwrap_or(rest)
        }
        Some(' '..='/') => one_of('0'..='~', rest.trim_start_matches(|c| matches!(c, ' '..='/'))),
        Some('0'..='~') => rest,
        // Terminals ignore this, so only the escape character goes.
        _ => text.strip_prefix('\u{1b}').unwrap_or(rest),
    }
}

/// Returns the text without its first character, if that is one of these.
fn one_of(these: std::ops::RangeInclusive<char>, text: &str) -> &str {
    text.strip_prefix(|c| these.contains(&c)).unwrap_or(text)
}
