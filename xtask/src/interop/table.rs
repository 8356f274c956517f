//! Tables of Markdown.

use std::fmt::Write as _;

use super::probes::Found;

/// Describes the finding about a feature, for a cell of the table.
pub(super) fn cell(found: &Found) -> String {
    match found {
        Found::Works("") => "yes".to_owned(),
        Found::Works(how) => format!("yes, {how}"),
        Found::NotOffered(instead) => format!("*no*: {instead}"),
        Found::Failed(why) => format!("**failed**: {}", plain(why)),
    }
}

/// A line of a table.
pub(crate) fn row(text: &mut String, head: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    let _ = writeln!(text, "| {head} | {} |", cells.join(" | "));
}

/// On one line of a table.
pub(crate) fn plain(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ").replace('|', "\\|")
}
