//! Text of other programs, cut to a length.

/// The bytes of a server's own words that an error repeats at most.
const LONGEST_WORDS: usize = 500;

/// Cuts a server's own words to the length that errors repeat.
pub(crate) fn shortened(text: &str) -> String {
    cut(text, LONGEST_WORDS)
}

/// Cuts a text to a number of bytes, and marks that something is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", text.get(..end).unwrap_or_default())
}
