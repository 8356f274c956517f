//! The kind of a line, by its beginning.

use super::Fence;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// More of the line is needed.
    Unknown,
    Text,
    Heading,
    Quote,
    /// An item of a list without numbers.
    Item {
        indent: usize,
    },
    /// A rule, if the line ends here.
    Rule,
    /// A fence, if the line goes on like this to its end.
    Fence(Fence),
}

/// Returns the kind of a line that begins like this.
pub(super) fn opening(line: &str) -> Opening {
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    let Some(sign) = rest.chars().next() else { return Opening::Unknown };
    let behind = rest.trim_start_matches(sign);
    let count = rest.chars().count() - behind.chars().count();
    let next = behind.chars().next();
    match (sign, count, next) {
        ('#', 1..=6, None) | ('-' | '*' | '_', 1 | 2, None) | ('+', 1, None) => Opening::Unknown,
        ('`' | '~', 1 | 2, None) => Opening::Unknown,
        ('#', 1..=6, Some(' ')) if indent < 4 => Opening::Heading,
        ('>', _, _) if indent < 4 => quote(rest),
        ('-' | '*' | '+', 1, Some(' ')) => Opening::Item { indent },
        ('-' | '*' | '_', 3.., _) if behind.trim().is_empty() => Opening::Rule,
        // An inline span may have three signs as well, and then has them at its end.
        ('`', 3.., _) if behind.contains('`') => Opening::Text,
        ('`' | '~', 3.., _) => Opening::Fence(Fence { sign, length: count }),
        _ => Opening::Text,
    }
}

/// Waits for the space behind the sign, which belongs to it.
fn quote(rest: &str) -> Opening {
    match rest.strip_prefix('>').map(|behind| behind.chars().next()) {
        Some(None) => Opening::Unknown,
        Some(Some(' ')) => Opening::Quote,
        _ => Opening::Text,
    }
}
