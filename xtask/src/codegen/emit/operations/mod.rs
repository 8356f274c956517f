//! The operations of an agent and of a client: the tables of the macros, the code of the libraries
//! that follows from the rows of the overlay, and the tables that users read.

mod capabilities;
mod convert;
mod half;
mod handlers;
mod markers;
mod membership;
mod page;
mod row;
mod tables;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use super::target::rust_file;
use crate::codegen::format::{self, Item};
use crate::codegen::ir::{Method, Schema, Side};
use crate::codegen::overlay::Overlay;
use crate::output::Output;
use half::{AGENTS, CLIENTS, Half};
use row::{Operation, collect};

/// The generated folders of `acp-macros`, `acp-agent` and `acp-client`.
pub(super) const MACROS: &str = "crates/acp-macros/src/generated";
pub(super) const AGENT: &str = AGENTS.folder;
pub(super) const CLIENT: &str = CLIENTS.folder;

pub fn emit(root: &Path, schema: &Schema, overlay: &Overlay, header: &str) -> Result<Vec<Output>> {
    let macros = Path::new(MACROS);
    let table = |items: &[Item]| format::file(header, items);
    let mut outputs = vec![
        Output { path: rust_file(macros, "mod"), text: module(header, &["methods", "operations"]) },
        Output { path: rust_file(macros, "methods"), text: table(&[method_table(schema)])? },
    ];
    let mut tables = vec![Item::Text("use crate::operation::{Hook, Operation};\n".to_owned())];
    let mut halves = Vec::new();
    for half in [&AGENTS, &CLIENTS] {
        let (hooks, operations): (Vec<_>, Vec<_>) =
            collect(schema, overlay, half)?.into_iter().partition(|operation| operation.hook);
        // A schema of an earlier release may go without the functions of one side.
        if half.side == Side::Client && operations.is_empty() {
            continue;
        }
        tables.extend([operation_table(&operations, half), hook_table(&hooks, half)]);
        let folder = Path::new(half.folder);
        let mut modules = vec!["capabilities", "handlers", "op"];
        let mut code = vec![
            ("capabilities", capabilities::emit(schema, &operations, half)?),
            ("handlers", handlers::emit(schema, &operations, half)),
            ("op", markers::emit(&operations, &hooks, half)),
        ];
        if half.side == Side::Agent {
            modules.push("opening");
            code.push(("opening", handlers::openings(&operations)));
        }
        outputs.push(Output { path: rust_file(folder, "mod"), text: module(header, &modules) });
        for (name, items) in code {
            outputs.push(Output { path: rust_file(folder, name), text: table(&items)? });
        }
        for (name, text) in tables::emit(schema, &operations, half) {
            outputs.push(Output { path: folder.join(name), text });
        }
        halves.push((half.rules, operations));
    }
    outputs.push(Output { path: rust_file(macros, "operations"), text: table(&tables)? });
    outputs.extend(page::emit(root, &halves)?);
    Ok(outputs)
}

fn module(header: &str, names: &[&str]) -> String {
    let mut text =
        format!("{header}\n// Formatted by the generator, so that it does not depend on the toolchain.\n");
    for name in names {
        let _ = writeln!(text, "#[rustfmt::skip]\npub(crate) mod {name};");
    }
    text
}

/// The methods as the macro knows them: rows on one line each, laid out by hand.
fn method_table(schema: &Schema) -> Item {
    let mut text = String::from(
        "use crate::operation::{Method, Side};\n\n\
         /// Every method and notification of the protocol, in the order of names.\n\
         pub(crate) const METHODS: &[Method] = &[\n",
    );
    for Method { name, marker, handler, .. } in &schema.methods {
        let _ =
            writeln!(text, "    Method {{ name: {name:?}, marker: {marker:?}, side: Side::{handler:?} }},");
    }
    text.push_str("];\n");
    Item::Text(text)
}

/// The operations as the macro knows them.
fn operation_table(operations: &[Operation<'_>], half: &Half) -> Item {
    let Half { article, attribute, table, .. } = half;
    let mut text = format!(
        "/// Every operation {article} {attribute} may have, by the name of its function.\n\
         pub(crate) const {table}: &[Operation] = &[\n",
    );
    for operation in operations {
        let Operation { name, marker, doc, method, .. } = operation;
        let capability = operation.capability();
        let (notification, unstable) = (!operation.is_request(), method.unstable);
        let method = &method.name;
        let _ = writeln!(
            text,
            "    Operation {{\n        name: {name:?},\n        marker: {marker:?},\n        method: {method:?},\n        \
             doc: {doc:?},\n        capability: {capability:?},\n        notification: {notification},\n        \
             unstable: {unstable},\n    }},",
        );
    }
    text.push_str("];\n");
    Item::Text(text)
}

/// The hooks as the macro knows them.
fn hook_table(hooks: &[Operation<'_>], half: &Half) -> Item {
    let Half { article, attribute, hooks: table, .. } = half;
    let mut text = format!(
        "/// Every hook {article} {attribute} may have, by the name of its function.\n\
         pub(crate) const {table}: &[Hook] = &[\n",
    );
    for Operation { name, marker, doc, method, .. } in hooks {
        let method = &method.name;
        let _ = writeln!(
            text,
            "    Hook {{\n        name: {name:?},\n        marker: {marker:?},\n        method: {method:?},\n        \
             doc: {doc:?},\n    }},",
        );
    }
    text.push_str("];\n");
    Item::Text(text)
}
