//! The first sentence of a file's documentation, as a line of a page.

/// The first sentence, without links and without its full stop.
#[must_use]
pub fn first(documentation: &str) -> String {
    let paragraph: Vec<&str> =
        documentation.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = paragraph.match_indices(". ").map(|(at, _)| at).find(|at| !is_within_code(&paragraph, *at));
    let sentence = end.map_or(paragraph.as_str(), |end| &paragraph[..end]);
    without_links(sentence.trim_end_matches('.'))
}

fn is_within_code(text: &str, at: usize) -> bool {
    text[..at].matches('`').count() % 2 == 1
}

/// `[text](target)` and `[text]` become the text.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest, mut in_code) = (String::new(), text, false);
    while let Some(at) = rest.find(['[', '`']) {
        plain.push_str(&rest[..at]);
        let close = rest[at..].find(']');
        match close {
            Some(close) if rest[at..].starts_with('[') && !in_code => {
                plain.push_str(&rest[at + 1..at + close]);
                rest = &rest[at + close + 1..];
                if let Some(target) = rest.strip_prefix('(').and_then(|target| target.find(')')) {
                    rest = &rest[target + 2..];
                }
            }
            _ => {
                in_code ^= rest[at..].starts_with('`');
                plain.push_str(&rest[at..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn one_sentence_is_taken_without_its_links() {
        for (text, expected) in [
            ("One thing.\n\nAnother.", "One thing"),
            ("One thing, on\ntwo lines. And more.", "One thing, on two lines"),
            ("Calls `a. b` of [`Peer`](crate::Peer) and [`Turn`].", "Calls `a. b` of `Peer` and `Turn`"),
            ("Indexes `list[0]`", "Indexes `list[0]`"),
            ("", ""),
        ] {
            assert_eq!(first(text), expected);
        }
    }
}
