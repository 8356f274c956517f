//! "Did you mean …" suggestions.

/// Returns the candidate that `written` is most likely a misspelling of, if one is near enough.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(written, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= tolerance(written, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the nearest method. The part before the last `/` does not raise the tolerance.
pub(crate) fn nearest_method<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let last = |method: &str| method.rsplit('/').next().unwrap_or_default().to_owned();
    let near = |candidate: &&str| distance(written, candidate) <= tolerance(&last(written), &last(candidate));
    candidates.into_iter().filter(near).min_by_key(|candidate| distance(written, candidate))
}

/// Returns the largest distance of a misspelling, a third of the longer word: `promt` is near
/// `prompt`, `run` is not near `logout`.
fn tolerance(written: &str, candidate: &str) -> usize {
    (written.chars().count().max(candidate.chars().count()) / 3).max(1)
}

/// Counts the letters that have to be added, removed or changed (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(&to) {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = *cell;
            left = changed.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_method};

    const NAMES: [&str; 4] = ["prompt", "new_session", "load_session", "set_mode"];

    #[test]
    fn near_misses_are_recognised() {
        for (written, meant) in [
            ("promt", Some("prompt")),
            ("new_sesion", Some("new_session")),
            ("newSession", Some("new_session")),
            ("sessions_load", None),
            ("set_node", Some("set_mode")),
            ("helper", None),
        ] {
            assert_eq!(nearest(written, NAMES), meant, "{written}");
        }
    }

    #[test]
    fn what_methods_share_does_not_make_them_near() {
        let methods = ["session/set_title", "session/list", "logout"];
        for (written, meant) in [
            ("session/set_titel", Some("session/set_title")),
            ("sesion/list", Some("session/list")),
            ("session/title", None),
            ("session/lost", Some("session/list")),
            ("log_out", Some("logout")),
        ] {
            assert_eq!(nearest_method(written, methods), meant, "{written}");
        }
    }
}
