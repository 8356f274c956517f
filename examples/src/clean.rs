//! Text of others on its way to a terminal.

/// The text without what could play tricks on a terminal: control characters could move the cursor and hide what the
/// user is asked to permit, and some characters turn the direction of writing around. Tabs become spaces.
///
/// ```
/// assert_eq!(examples::clean("a\tb\u{1b}[2J\r\nc\u{202e}d"), "a    b\u{fffd}[2J\nc\u{fffd}d");
/// ```
#[must_use]
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => clean.push('\n'),
            '\t' => clean.push_str("    "),
            // A part of how some systems end lines.
            '\r' => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => clean.push('\u{fffd}'),
            c if c.is_control() => clean.push('\u{fffd}'),
            c => clean.push(c),
        }
    }
    clean
}
