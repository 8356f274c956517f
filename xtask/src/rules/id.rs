//! The ids of rules: `v1-turn-02`.

/// How ids begin.
const PREFIXES: &[&str] = &["v1", "v2", "rm", "px", "mcp-neg", "acp-mcp"];

/// The ids in a text: a prefix, words of small letters and digits, and two digits, joined by `-`.
pub fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_ascii_alphanumeric() || char == '-' || char == '_'))
        .filter(|word| is_id(word))
}

fn is_id(word: &str) -> bool {
    let Some((stem, number)) = word.rsplit_once('-') else { return false };
    let Some(prefix) = PREFIXES.iter().find(|prefix| stem.starts_with(**prefix)) else { return false };
    let subject = &stem[prefix.len()..];
    let named = prefix.contains('-') && subject.is_empty();
    let words = subject.strip_prefix('-').is_some_and(|subject| {
        subject.split('-').all(|word| {
            word.starts_with(|char: char| char.is_ascii_lowercase())
                && word.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit())
        })
    });
    number.len() == 2 && number.chars().all(|char| char.is_ascii_digit()) && (named || words)
}
