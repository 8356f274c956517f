//! The tables that rustdoc shows at the traits which arguments and results cross.

use std::fmt::Write as _;

use super::convert::definitions_in;
use super::half::Half;
use super::handlers::has_turn;
use super::membership::Membership;
use super::page::list;
use super::row::Operation;
use crate::codegen::ir::{Schema, Side};

/// The tables, by the names of their files.
pub(super) fn emit(
    schema: &Schema,
    operations: &[Operation<'_>],
    half: &Half,
) -> [(&'static str, String); 2] {
    [
        (
            "arguments.md",
            table("argument", "operations", &|unstable| arguments(schema, operations, half, unstable)),
        ),
        ("results.md", table("operations", "result", &|unstable| results(schema, operations, unstable))),
    ]
}

/// A row: its two cells.
type Row = (String, String);

/// The stable rows, then the unstable ones.
fn table(left: &str, right: &str, rows: &dyn Fn(bool) -> Vec<Row>) -> String {
    let mut text = "<!-- `cargo xtask codegen` writes this table. -->\n".to_owned();
    for unstable in [false, true] {
        let rows = rows(unstable);
        if rows.is_empty() {
            continue;
        }
        text.push_str(if unstable { "\nWith the feature `unstable` also:\n\n" } else { "\n" });
        let _ = writeln!(text, "| {left} | {right} |\n|---|---|");
        for (left, right) in rows {
            let _ = writeln!(text, "| {left} | {right} |");
        }
    }
    text
}

/// Arguments that not every operation has.
fn arguments(schema: &Schema, operations: &[Operation<'_>], half: &Half, unstable: bool) -> Vec<Row> {
    let names = |is_one: &dyn Fn(&Operation<'_>) -> bool| {
        let mut chosen =
            operations.iter().filter(|operation| operation.method.unstable == unstable).peekable();
        chosen.peek()?;
        let names =
            list(chosen.filter(|operation| is_one(operation)).map(|operation| operation.name.as_str()));
        (!names.is_empty()).then_some(names)
    };
    let mut rows: Vec<Row> = Vec::new();
    for operation in operations.iter().filter(|operation| operation.method.unstable == unstable) {
        let takes = operation.takes.iter().filter(|(ty, _)| !ty.contains('<'));
        let takes: Vec<String> = takes.map(|(ty, _)| linked(schema, ty, unstable)).collect();
        if !takes.is_empty() {
            rows.push((takes.join(", "), format!("`{}`", operation.name)));
        }
    }
    let on_session = |operation: &Operation<'_>| {
        let takes_session = operation.takes.iter().any(|(ty, _)| *ty == "Session<T>");
        operation.session == Membership::On || takes_session
    };
    rows.extend(names(&on_session).map(|names| (half.on_session.to_owned(), names)));
    if half.side == Side::Agent {
        let opening = names(&|operation| operation.opens());
        rows.extend(opening.map(|names| ("`Mcp`, with the feature `mcp`".to_owned(), names)));
        let asks = names(&|operation| operation.is_request() && !has_turn(operation));
        rows.extend(asks.map(|names| ("[`Elicitation`](crate::Elicitation)".to_owned(), names)));
    }
    rows
}

/// Results besides the response: operations with the same ones share a row.
fn results(schema: &Schema, operations: &[Operation<'_>], unstable: bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for operation in operations.iter().filter(|operation| operation.method.unstable == unstable) {
        let returns: Vec<String> =
            operation.returns.iter().map(|(ty, _)| linked(schema, ty, unstable)).collect();
        if returns.is_empty() {
            continue;
        }
        let (name, returns) = (format!("`{}`", operation.name), returns.join(", "));
        match rows.iter_mut().find(|(_, others)| *others == returns) {
            Some((names, _)) => {
                let _ = write!(names, ", {name}");
            }
            None => rows.push((name, returns)),
        }
    }
    rows
}

/// The type as code, and as a link where it is the library's. Types of unstable operations are not
/// always there.
fn linked(schema: &Schema, ty: &str, unstable: bool) -> String {
    let name = ty.split('<').next().unwrap_or_default();
    let is_library = name.len() > 1 && name != "Vec" && name != "String" && name != "()";
    if unstable || !is_library || definitions_in(schema, ty).next().is_some() {
        return format!("`{ty}`");
    }
    format!("[`{ty}`](crate::{name})")
}
