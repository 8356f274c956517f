//! The files of the session's folder, for completion after `@`.

use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};

use acp_client::sanitize::deceives;

/// The most entries of folders that are looked at for one word.
const LOOKED_AT: usize = 10_000;
/// The most names in a list.
const SHOWN: usize = 50;

/// A word that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fitting {
    /// The word in a list.
    pub(crate) shown: String,
    /// The text that takes the place of the beginning.
    pub(crate) text: String,
}

/// Names below a folder. Nothing outside of it is ever named.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
}

/// An entry of a folder.
struct Entry {
    name: String,
    is_folder: bool,
}

impl Files {
    pub(crate) const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Returns the names that fit a typed beginning, without its `@`. First come those that go on
    /// as it begins. Without one, all files below the folder are looked through for names that
    /// contain it.
    pub(crate) fn fitting(&self, typed: &str) -> Vec<Fitting> {
        let typed = typed.strip_prefix('"').unwrap_or(typed);
        let (folder, start) = typed.rsplit_once('/').map_or(("", typed), |(folder, start)| (folder, start));
        let prefix =
            if folder.is_empty() && !typed.starts_with('/') { String::new() } else { format!("{folder}/") };
        if typed.starts_with(['/', '~']) {
            return Vec::new();
        }
        let mut looked_at = 0;
        let entries = self.below(folder).map(|place| entries(&place, &mut looked_at)).unwrap_or_default();
        let starting = entries.iter().filter(|entry| {
            entry.name.starts_with(start) && (start.starts_with('.') || !entry.name.starts_with('.'))
        });
        let mut names: Vec<String> = starting
            .map(|entry| format!("{prefix}{}{}", entry.name, if entry.is_folder { "/" } else { "" }))
            .collect();
        names.sort();
        names.truncate(SHOWN);
        if !names.is_empty() || typed.is_empty() {
            return names.iter().map(|name| Fitting { shown: name.clone(), text: mention(name) }).collect();
        }
        self.containing(typed, looked_at)
    }

    /// Returns the files whose path contains the text, those first whose own name does.
    fn containing(&self, typed: &str, mut looked_at: usize) -> Vec<Fitting> {
        let typed_small = typed.to_lowercase();
        let mut found = Vec::new();
        let mut folders = VecDeque::from([String::new()]);
        while let Some(folder) = folders.pop_front() {
            let Some(place) = self.below(&folder) else { continue };
            for entry in entries(&place, &mut looked_at) {
                if entry.name.starts_with('.') {
                    continue;
                }
                let path = format!("{folder}{}", entry.name);
                if entry.is_folder {
                    folders.push_back(format!("{path}/"));
                } else if path.to_lowercase().contains(&typed_small) {
                    let is_name = entry.name.to_lowercase().contains(&typed_small);
                    found.push((!is_name, path.len(), path));
                }
            }
            if looked_at >= LOOKED_AT {
                break;
            }
        }
        found.sort();
        found.truncate(SHOWN);
        let is_one = found.len() == 1;
        // The beginning of several names would take the place of the text that they contain.
        let text = |path: &str| if is_one { mention(path) } else { format!("@{typed}") };
        found.iter().map(|(_, _, path)| Fitting { shown: path.clone(), text: text(path) }).collect()
    }

    /// Returns the place of a path below the folder, also through links.
    pub(crate) fn below(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        let stays = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(stays) {
            return None;
        }
        let root = self.root.canonicalize().ok()?;
        root.join(path).canonicalize().ok().filter(|place| place.starts_with(&root))
    }
}

/// Returns the entries of a folder whose names a terminal shows as they are.
fn entries(folder: &Path, looked_at: &mut usize) -> Vec<Entry> {
    let Ok(read) = fs::read_dir(folder) else { return Vec::new() };
    let left = LOOKED_AT.saturating_sub(*looked_at);
    let mut entries = Vec::new();
    for entry in read.take(left).flatten() {
        *looked_at += 1;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.chars().any(|char| char.is_control() || deceives(char) || char == '"') {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entries.push(Entry { name, is_folder });
    }
    entries
}

/// Returns the text that names a file in a prompt.
fn mention(name: &str) -> String {
    let is_folder = name.ends_with('/');
    match name.contains(char::is_whitespace) {
        // The quotes of a folder stay open for the name behind it.
        true if is_folder => format!("@\"{name}"),
        true => format!("@\"{name}\""),
        false => format!("@{name}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "src/main.rs",
            "src/deep/main.rs",
            "src/lib.rs",
            "notes.md",
            "a b.txt",
            ".env",
            ".git/config",
            "my dir/x y",
        ] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        folder
    }

    fn fitting(files: &Files, typed: &str) -> Vec<String> {
        files
            .fitting(typed)
            .into_iter()
            .map(|fitting| format!("{}|{}", fitting.shown, fitting.text))
            .collect()
    }

    #[test]
    fn names_go_on_as_they_begin() {
        let folder = folder();
        let files = Files::new(folder.path().to_owned());
        for (typed, wants) in [
            ("", &["a b.txt|@\"a b.txt\"", "my dir/|@\"my dir/", "notes.md|@notes.md", "src/|@src/"][..]),
            ("n", &["notes.md|@notes.md"]),
            ("\"a", &["a b.txt|@\"a b.txt\""]),
            ("\"my dir/", &["my dir/x y|@\"my dir/x y\""]),
            ("src/", &["src/deep/|@src/deep/", "src/lib.rs|@src/lib.rs", "src/main.rs|@src/main.rs"]),
            ("src/m", &["src/main.rs|@src/main.rs"]),
            (".e", &[".env|@.env"]),
            (".git/", &[".git/config|@.git/config"]),
        ] {
            assert_eq!(fitting(&files, typed), wants, "{typed:?}");
        }
    }

    #[test]
    fn names_are_found_by_a_part() {
        let folder = folder();
        let files = Files::new(folder.path().to_owned());
        assert_eq!(fitting(&files, "MAIN"), ["src/main.rs|@MAIN", "src/deep/main.rs|@MAIN"]);
        assert_eq!(fitting(&files, "deep/ma"), ["src/deep/main.rs|@src/deep/main.rs"]);
        assert_eq!(fitting(&files, "lib"), ["src/lib.rs|@src/lib.rs"]);
        assert!(fitting(&files, "config").is_empty(), "hidden folders are not looked through");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_outside_of_the_folder_is_named() {
        let folder = folder();
        let inside = folder.path().join("src");
        std::os::unix::fs::symlink(folder.path(), inside.join("out")).unwrap();
        fs::write(inside.join("e\u{1b}[31mvil"), "").unwrap();
        let files = Files::new(inside);
        for typed in ["../", "..", "/", "/etc/", "out/", "e", "~/"] {
            assert!(
                fitting(&files, typed).iter().all(|name| name.contains(".rs|") || name.contains("deep")),
                "{typed}"
            );
            assert!(
                !fitting(&files, typed).iter().any(|name| name.contains("notes") || name.contains('\u{1b}')),
                "{typed}"
            );
        }
        assert!(files.below("out/notes.md").is_none());
        assert!(files.below("../notes.md").is_none());
        assert!(files.below("main.rs").is_some());
    }
}
