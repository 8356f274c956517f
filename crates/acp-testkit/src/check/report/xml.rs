//! Text in XML.

/// Escapes a text for content and for attribute values in double quotes. Characters that XML 1.0
/// cannot hold become U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' => escaped.push_str("&lt;"),
            // `]]>` must not stand in content.
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // A reader makes a line feed of it.
            '\r' => escaped.push_str("&#13;"),
            '\n' | '\t' => escaped.push(char),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(char),
        }
    }
    escaped
}
