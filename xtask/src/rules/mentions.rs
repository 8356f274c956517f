//! The rule ids that stand in code, tests and docs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::book::{Book, DATA};
use super::id::ids;
use super::page::PAGES;
use crate::output::files_below;

/// The folders and files that may name rules.
const PLACES: &[&str] = &["crates", "examples", "xtask", "docs", "README.md", "CHANGELOG.md"];

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
