//! The files that a text names by `@path`.

use std::path::PathBuf;

use crate::commands::chat::input::files::Files;

/// The most files of one text, and the most names that are looked at.
const MOST: usize = 32;
const LOOKED_AT: usize = 1000;

/// The files of a text, and the names that stay text, each with the reason.
#[derive(Debug, Default)]
pub(super) struct Mentioned {
    pub(super) files: Vec<(String, PathBuf)>,
    pub(super) left_out: Vec<(String, &'static str)>,
}

/// Finds the files. A name begins at the start of a word. One with spaces stands in quotes.
pub(super) fn mentioned(text: &str, files: &Files) -> Mentioned {
    let mut found = Mentioned::default();
    for name in names(text).into_iter().take(LOOKED_AT) {
        let shown = format!("@{name}");
        match place(name, files) {
            Ok(place) if found.files.iter().any(|(_, known)| *known == place) => {}
            Ok(_) if found.files.len() == MOST => found.left_out.push((shown, "there are too many files")),
            Ok(place) => found.files.push((shown, place)),
            Err(_) if found.left_out.iter().any(|(known, _)| *known == shown) => {}
            Err(why) => found.left_out.push((shown, why)),
        }
    }
    found
}

fn place(name: &str, files: &Files) -> Result<PathBuf, &'static str> {
    // A name at the end of a sentence has its full stop behind it.
    let without_mark = name.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
    let place = files.below(name).or_else(|| files.below(without_mark));
    match place {
        Some(place) if place.is_dir() => Err("it is a directory"),
        // Reading a pipe would wait for its writer.
        Some(place) if !place.is_file() => Err("it is not a file"),
        Some(place) => Ok(place),
        None => Err("there is no such file below the session's directory"),
    }
}

/// Returns the names after each `@` that begins a word.
fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    let mut is_start = true;
    while let Some(at) = rest.find('@') {
        let before = rest.get(..at).and_then(|text| text.chars().next_back());
        let begins = before.map_or(is_start, char::is_whitespace);
        is_start = false;
        rest = rest.get(at + 1..).unwrap_or_default();
        if !begins {
            continue;
        }
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
        let name = quoted.or_else(|| rest.split(char::is_whitespace).next()).unwrap_or_default();
        if !name.is_empty() {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn names_begin_words() {
        for (text, wants) in [
            ("@a and @b/c.rs, me@home", &["a", "b/c.rs,"][..]),
            ("see @\"a b\" and @c", &["a b", "c"]),
            ("@ @@x \"@y\"", &["@x"]),
            ("@\"never closed", &["\"never"]),
            ("", &[]),
        ] {
            assert_eq!(names(text), wants, "{text:?}");
        }
    }

    #[test]
    fn files_of_the_folder_are_added_once_and_others_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for name in ["src/a.rs", "a b"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let files = Files::new(folder.path().to_owned());
        let found = mentioned(
            "@src/a.rs @\"a b\" @src/a.rs @src @alice @../x @alice @/etc/passwd @src/a.rs.",
            &files,
        );
        let names: Vec<&str> = found.files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["@src/a.rs", "@a b"]);
        let left_out: Vec<&str> = found.left_out.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(left_out, ["@src", "@alice", "@../x", "@/etc/passwd"]);
    }
}
