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

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    /// All ranges that are made visible, with harmless characters right before and behind each.
    const DECEIVES: [(RangeInclusive<char>, &str); 12] = [
        ('\0'..='\u{8}', "\t"),
        // Carriage returns are left out: see below.
        ('\u{b}'..='\u{c}', "\n"),
        ('\u{e}'..='\u{1f}', " "),
        ('\u{7f}'..='\u{9f}', "~\u{a0}"),
        ('\u{61c}'..='\u{61c}', "\u{61b}\u{61d}"),
        ('\u{180e}'..='\u{180e}', "\u{180d}\u{180f}"),
        ('\u{200b}'..='\u{200f}', "\u{200a}\u{2010}"),
        // Separators, and characters that turn the direction of writing.
        ('\u{2028}'..='\u{202e}', "\u{2027}\u{202f}"),
        // Joiners and operators without a width, isolates, and deprecated characters.
        ('\u{2060}'..='\u{206f}', "\u{205f}\u{2070}"),
        ('\u{feff}'..='\u{feff}', "\u{fefe}\u{ff00}"),
        ('\u{fff9}'..='\u{fffb}', "\u{fff8}\u{fffc}"),
        // Tags.
        ('\u{e0000}'..='\u{e007f}', "\u{dffff}\u{e0080}"),
    ];

    #[test]
    fn what_deceives_is_made_visible() {
        for (range, around) in DECEIVES {
            for c in range {
                assert!(deceives(c), "{c:?}");
                let given = format!("a{c}b");
                assert_eq!(text(&given), "a\u{fffd}b", "{c:?}");
                assert_eq!(line(&given), "a\u{fffd}b", "{c:?}");
                assert_eq!(label(&given, 80), "a\u{fffd}b", "{c:?}");
            }
            for c in around.chars() {
                assert!(!deceives(c), "{c:?}");
                assert_eq!(text(&format!("a{c}b")), format!("a{c}b"), "{c:?}");
            }
        }
        // Nothing else without a width or with a line end stays, whatever stands around it.
        let all: String = DECEIVES.into_iter().flat_map(|(range, _)| range).collect();
        assert_eq!(text(&all), "\u{fffd}".repeat(all.chars().count()));
        assert_eq!(label(&all, 3), "\u{fffd}\u{fffd}…");
    }

    #[test]
    fn text_that_deceives_nobody_stays() {
        assert_eq!(text("a\r\n\tb é漢🙂 ab\u{301}"), "a\n\tb é漢🙂 ab\u{301}");
        assert_eq!(line("  a\r\n  b\r"), "  a   b");
        assert!(matches!(text("plain\n"), Cow::Borrowed("plain\n")));
        assert!(matches!(line("plain\t"), Cow::Borrowed("plain\t")));
    }

    #[test]
    fn labels_have_one_short_line() {
        assert_eq!(label(" Yes\n  2 or a \t\u{3000} No\u{2028}x", 80), "Yes 2 or a No\u{fffd}x");
        assert_eq!(label("漢字漢字漢字", 4), "漢字漢…");
        assert_eq!(
            (label("four", 4).as_str(), label("", 4).as_str(), label("x", 0).as_str()),
            ("four", "", "…")
        );
    }

    #[test]
    fn sequences_of_terminals_are_left_out() {
        for (written, kept) in [
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}[38:2::1:2:3mx\u{1b}[Ky", "xy"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("\u{1b}Pq#0\u{1b}\\a\u{9b}2Jb\u{9d}t\u{9c}c", "abc"),
            ("\u{1b}(Ba\u{1b}7b\u{1b}=c", "abc"),
            // A truncated sequence does not remove the text behind it.
            ("a\u{1b}", "a"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}[漢", "a漢"),
            ("a\u{1b}]0;open\nb", "a0;open\nb"),
            ("a\u{1b}\u{1b}[31mb", "ab"),
            ("\u{1b}漢", "漢"),
            ("plain\u{7}", "plain\u{7}"),
        ] {
            assert_eq!(strip_ansi(written), kept, "{written:?}");
        }
    }
}
