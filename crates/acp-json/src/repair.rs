//! Text that another program cut within a character.

/// How long `\ud83d` is.
const ESCAPE: usize = 6;

/// Replaces each lone half of a surrogate pair with `\ufffd` (the replacement character). Returns
/// `None` if the text has no such half.
///
/// Programs that count text in UTF-16 may cut it between the halves, and write `"\ud83d"`. A Rust
/// string cannot hold that, so such JSON is not read; after the repair it is. Everything else stays
/// as it is, at its old offset.
///
/// ```
/// let cut = r#"{"title":"A bug \ud83d"}"#;
/// assert!(acp_json::parse(cut).is_err());
/// let repaired = acp_json::repair_surrogates(cut).unwrap_or_default();
/// let node = acp_json::parse(&repaired)?;
/// assert_eq!(node.get("title").and_then(|title| title.as_str()), Some("A bug \u{fffd}"));
/// # Ok::<(), acp_json::ReadError>(())
/// ```
#[must_use]
pub fn repair_surrogates(json: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    // JSON has backslashes only in strings, where each begins an escape.
    while let Some(rest) = json.get(at..)
        && let Some(found) = rest.find('\\')
    {
        let start = at + found;
        let escape = rest.get(found..).unwrap_or_default();
        let first = unit(escape);
        let second = escape.get(ESCAPE..).and_then(unit);
        at = start
            + match (first, second) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
                (Some(0xD800..=0xDFFF), _) => {
                    repaired.reserve_exact(json.len() - repaired.len());
                    repaired.push_str(json.get(copied..start).unwrap_or_default());
                    repaired.push_str("\\ufffd");
                    copied = start + ESCAPE;
                    ESCAPE
                }
                // The backslash, and the character after it, which may be a backslash too.
                _ => escape.chars().take(2).map(char::len_utf8).sum(),
            };
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(json.get(copied..).unwrap_or_default());
    Some(repaired)
}

/// The UTF-16 code unit that `text` begins with, if that is written as `\uXXXX`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // A sign would be taken for a digit otherwise.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}
