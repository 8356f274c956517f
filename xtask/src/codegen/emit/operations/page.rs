//! The operations as people read them: in the rules of each attribute, and on a page of both.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::row::Operation;
use crate::output::Output;

/// The comments around the table in the rules.
const BEGIN: &str = "<!-- operations: `cargo xtask codegen` writes this table -->";
const END: &str = "<!-- end of operations -->";
/// The page with all rules, for readers of the repository.
const PAGE: &str = "docs/MACROS.md";

/// The rules of each attribute with the table of its operations, and the page of them all.
pub(super) fn emit(root: &Path, halves: &[(&'static str, Vec<Operation<'_>>)]) -> Result<Vec<Output>> {
    let mut outputs = Vec::new();
    let mut pages = Vec::new();
    for (path, operations) in halves {
        // A workspace may come without its documentation.
        let Ok(rules) = fs::read_to_string(root.join(path)) else { continue };
        let rules = with_table(&rules, &readable_table(operations));
        let rules =
            rules.with_context(|| format!("{path}: no place for the table, between {BEGIN} and {END}"))?;
        pages.push((*path, page(&rules)));
        outputs.push(Output { path: path.into(), text: rules });
    }
    if !pages.is_empty() {
        let (paths, texts): (Vec<_>, Vec<_>) = pages.into_iter().unzip();
        let paths = paths.join(" and ");
        let text = texts.join("\n");
        let text = format!("<!-- `cargo xtask codegen` writes this page from {paths}. -->\n\n{text}");
        outputs.push(Output { path: PAGE.into(), text });
    }
    Ok(outputs)
}

/// The table: stable operations, then unstable ones.
fn readable_table(operations: &[Operation<'_>]) -> String {
    let mut text = String::new();
    for unstable in [false, true] {
        if unstable {
            text.push_str("\nWith the feature `unstable`, without any promise:\n\n");
        }
        text.push_str(
            "| function | method | argument of its own | result | advertised as |\n|---|---|---|---|---|\n",
        );
        for operation in operations.iter().filter(|operation| operation.method.unstable == unstable) {
            let Operation { name, method, advertised, .. } = operation;
            let (argument, result) = (argument(operation), result(operation));
            let advertised = if advertised.is_empty() { " ".to_owned() } else { format!(" {advertised} ") };
            let kind = if operation.is_request() { "" } else { ", a notification" };
            let _ =
                writeln!(text, "| `{name}` | `{}`{kind} | {argument} | {result} |{advertised}|", method.name);
        }
    }
    text
}

/// The arguments of the operation's own.
fn argument(operation: &Operation<'_>) -> String {
    match operation.takes.as_slice() {
        [] => format!("`{}`", operation.method.params),
        takes => list(takes.iter().map(|(ty, _)| *ty)),
    }
}

/// The results that stand for the response, or the response.
fn result(operation: &Operation<'_>) -> String {
    match (operation.returns.as_slice(), &operation.method.response) {
        (_, None) => "nothing".to_owned(),
        ([], Some(response)) => format!("`{response}`"),
        (returns, _) => list(returns.iter().map(|(ty, _)| *ty)),
    }
}

/// Names as code, between commas.
pub(super) fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The rules with this table in its place.
fn with_table(rules: &str, table: &str) -> Option<String> {
    let (before, rest) = rules.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

/// The rules without what only rustdoc understands: links to items, lines of code that are not
/// shown.
fn page(rules: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in rules.lines() {
        let fence = line.starts_with("```");
        match (fence, in_code) {
            (true, false) => text.push_str("```rust"),
            (false, true) if line.starts_with("# ") => continue,
            _ => text.push_str(&without_item_links(line)),
        }
        in_code ^= fence;
        text.push('\n');
    }
    text
}

/// The line with `[name](crate::name)` as `name`.
fn without_item_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](crate::") {
        let (Some((lead, name)), Some((_, tail))) = (before.rsplit_once('['), after.split_once(')')) else {
            break;
        };
        text.extend([lead, name]);
        rest = tail;
    }
    text + rest
}
