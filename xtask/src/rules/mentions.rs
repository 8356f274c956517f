//! The rule ids that stand in code, tests and docs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::book::Book;
use super::{DATA, PAGES};
use crate::output::files_below;

/// How ids begin.
const PREFIXES: &[&str] = &["v1", "v2", "rm", "px", "mcp-neg", "acp-mcp"];
/// The folders and files that may name rules.
const PLACES: &[&str] = &["crates", "examples", "xtask", "docs", "README.md", "CHANGELOG.md"];

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

/// Fails when the repository names a rule that the book does not define.
///
/// # Errors
///
/// Lists the files and the ids.
pub fn check(book: &Book, root: &Path) -> Result<()> {
    let known: BTreeSet<&str> = book.rules().map(|rule| rule.id.as_str()).collect();
    let mut unknown = Vec::new();
    for path in sources(root)? {
        let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
        let here: BTreeSet<&str> = ids(&text).filter(|id| !known.contains(id)).collect();
        unknown.extend(here.iter().map(|id| format!("{}: {id}", path.display())));
    }
    ensure!(unknown.is_empty(), "these ids are not defined in {DATA}:\n{}", unknown.join("\n"));
    Ok(())
}

/// Every file that may name rules, relative to the root.
///
/// # Errors
///
/// Passes on what reading a folder says.
pub fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut sources = Vec::new();
    for place in PLACES {
        let path = root.join(place);
        let files = if path.is_file() { vec![path] } else { files_below(&path)? };
        for file in files {
            let file = file.strip_prefix(root)?;
            let named =
                file.extension().is_some_and(|ending| ending == "rs" || ending == "md" || ending == "toml");
            let inside = |folder: &str| file.components().any(|part| part.as_os_str() == folder);
            if named
                && !file.starts_with(DATA)
                && !file.starts_with(PAGES)
                && !inside("target")
                && !inside("node_modules")
            {
                sources.push(file.to_owned());
            }
        }
    }
    Ok(sources)
}
