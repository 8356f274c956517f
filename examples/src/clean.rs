//! Foreign text on its way to a terminal.

use acp_client::sanitize;

/// Removes the parts of a text that could play tricks on a terminal, as [`sanitize::text`] does.
/// Tabs become spaces, because their width is known.
///
/// ```
/// assert_eq!(examples::clean("a\tb\u{1b}[2J\r\nc\u{202e}d"), "a    b\u{fffd}[2J\nc\u{fffd}d");
/// ```
#[must_use]
pub fn clean(text: &str) -> String {
    sanitize::text(text).replace('\t', "    ")
}
