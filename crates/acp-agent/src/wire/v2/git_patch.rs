//! Patches of one file, as `git apply` takes them (rule `v2-diff-04`).

use std::fmt::Write as _;
use std::ops::Range;

use super::line_diff::{Line, line_diff};

/// The most text of both sides that a patch is made of, in bytes.
const MOST_TEXT: usize = 1024 * 1024;

/// The lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// Returns the patch that makes `new` of `old`, or of nothing. There is none if nothing changes, or
/// for much text.
pub(super) fn git_patch(path: &str, old: Option<&str>, new: &str) -> Option<String> {
    let before = old.unwrap_or_default();
    if old == Some(new) || before.len().saturating_add(new.len()) > MOST_TEXT {
        return None;
    }
    let path = quoted(path);
    let mut patch = format!("diff --git {path} {path}\n");
    let tab = if path.contains(' ') { "\t" } else { "" };
    if old.is_none() {
        patch.push_str("new file mode 100644\n");
        if new.is_empty() {
            patch.push_str("index 0000000..e69de29\n");
        }
        let _ = write!(patch, "--- /dev/null\n+++ {path}{tab}\n");
    } else {
        let _ = write!(patch, "--- {path}{tab}\n+++ {path}{tab}\n");
    }
    write_hunks(&line_diff(before, new), &mut patch);
    Some(patch)
}

fn write_hunks(lines: &[Line<'_>], patch: &mut String) {
    // The numbers of the lines before the present one, on both sides.
    let (mut old, mut new, mut done) = (0, 0, 0);
    for hunk in hunks(lines) {
        let skipped = hunk.start - done;
        (old, new, done) = (old + skipped, new + skipped, hunk.end);
        let shown = lines.get(hunk).unwrap_or_default();
        let removed = shown.iter().filter(|line| !matches!(line, Line::Added(_))).count();
        let added = shown.iter().filter(|line| !matches!(line, Line::Removed(_))).count();
        let _ = writeln!(patch, "@@ -{} +{} @@", span(old, removed), span(new, added));
        for line in shown {
            let (sign, text) = match line {
                Line::Kept(text) => (' ', text),
                Line::Removed(text) => ('-', text),
                Line::Added(text) => ('+', text),
            };
            patch.push(sign);
            patch.push_str(text);
            if !text.ends_with('\n') {
                patch.push_str("\n\\ No newline at end of file\n");
            }
        }
        (old, new) = (old + removed, new + added);
    }
}

/// Returns the first line and the number of lines. A span without lines names the line before it.
fn span(before: usize, count: usize) -> String {
    let first = if count == 0 { before } else { before + 1 };
    format!("{first},{count}")
}

/// Returns the ranges of lines that are shown: the changes, and the lines around them.
fn hunks(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if matches!(line, Line::Kept(_)) {
            continue;
        }
        let shown = index.saturating_sub(CONTEXT)..(index + 1 + CONTEXT).min(lines.len());
        match hunks.last_mut() {
            Some(last) if shown.start <= last.end => last.end = shown.end,
            _ => hunks.push(shown),
        }
    }
    hunks
}

/// Returns the path in quotes with escapes, if it has bytes that a header cannot have as they are.
fn quoted(path: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    if path.bytes().all(is_plain) {
        return path.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in path.bytes() {
        match byte {
            b'"' => quoted.push_str("\\\""),
            b'\\' => quoted.push_str("\\\\"),
            b'\n' => quoted.push_str("\\n"),
            b'\r' => quoted.push_str("\\r"),
            b'\t' => quoted.push_str("\\t"),
            byte if is_plain(byte) => quoted.push(char::from(byte)),
            byte => _ = write!(quoted, "\\{byte:03o}"),
        }
    }
    quoted.push('"');
    quoted
}
