//! The rules that tests name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::book::{Book, Force};
use super::{id, mentions};

/// The file of [`untested`] rules, an id a line.
///
/// # Errors
///
/// Passes on what reading the sources says.
pub fn list(book: &Book, root: &Path) -> Result<String> {
    let ids = untested(book, root)?;
    Ok(format!("# `cargo xtask rules` writes this list: rules that no test names yet.\n{}\n", ids.join("\n")))
}

/// The binding rules that can be seen on the wire and that no test names, in the order of the book.
///
/// A test names a rule by its id, in a comment, a row of a table or, with `_` for `-`, in the name
/// of a function.
///
/// # Errors
///
/// Passes on what reading the sources says.
pub fn untested<'a>(book: &'a Book, root: &Path) -> Result<Vec<&'a str>> {
    let named = named_by_tests(root)?;
    let wanted = book.rules().filter(|rule| rule.force == Force::Binding && rule.seen.is_some());
    Ok(wanted.map(|rule| rule.id.as_str()).filter(|id| !named.contains(*id)).collect())
}

fn named_by_tests(root: &Path) -> Result<BTreeSet<String>> {
    let mut named = BTreeSet::new();
    for path in mentions::sources(root)? {
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let text = fs::read_to_string(root.join(&path))?;
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let all = path.iter().any(|part| part == "tests") || file == "tests" || file.ends_with("_tests");
        let text =
            if all { text.as_str() } else { text.split_once("mod tests {").map_or("", |(_, tests)| tests) };
        named.extend(id::ids(text).map(str::to_owned));
        for name in text.split("fn ").skip(1) {
            let name = name.split('(').next().unwrap_or_default();
            named.extend(beginning(name));
        }
    }
    Ok(named)
}

/// The id that the name of a function begins with: `v1_turn_02_…`.
fn beginning(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split('_').collect();
    let end =
        words.iter().position(|word| word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let id = words.get(..=end)?.join("-");
    id::ids(&id).eq([id.as_str()]).then_some(id)
}
