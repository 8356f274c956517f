//! The operations of an agent and of a client: the tables of the macros, the markers of the
//! libraries, and the tables that users read.

mod markers;
mod page;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::TokenStream;

use super::context::{gate, is_required};
use super::target::rust_file;
use crate::codegen::format::{self, Item};
use crate::codegen::ir::{Definition, Kind, Method, Schema, Side, Type};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;
use crate::output::Output;

/// The generated folders of `acp-macros`, `acp-agent` and `acp-client`.
pub(super) const MACROS: &str = "crates/acp-macros/src/generated";
pub(super) const AGENT: &str = AGENTS.folder;
pub(super) const CLIENT: &str = CLIENTS.folder;

/// One of the two sides, and where what is known of its operations goes.
struct Half {
    /// The attribute, and what it makes.
    attribute: &'static str,
    article: &'static str,
    side: Side,
    /// The section of the overlay.
    section: &'static str,
    /// The name of the table in `acp-macros`.
    table: &'static str,
    /// What all its capabilities begin with.
    capabilities: &'static str,
    folder: &'static str,
    /// The rules of the attribute, written by hand around the table of operations.
    rules: &'static str,
}

const AGENTS: Half = Half {
    attribute: "agent",
    article: "an",
    side: Side::Agent,
    section: "operations",
    table: "AGENT_OPERATIONS",
    capabilities: "agentCapabilities.",
    folder: "crates/acp-agent/src/generated",
    rules: "crates/acp-agent/src/macro.md",
};

const CLIENTS: Half = Half {
    attribute: "client",
    article: "a",
    side: Side::Client,
    section: "client_operations",
    table: "CLIENT_OPERATIONS",
    capabilities: "clientCapabilities.",
    folder: "crates/acp-client/src/generated",
    rules: "crates/acp-client/src/macro.md",
};

/// A method of the protocol, and the function that answers it.
struct Operation<'s> {
    half: &'static Half,
    name: String,
    marker: String,
    doc: &'s str,
    method: &'s Method,
    /// The params say which session they are about.
    names_session: bool,
    /// What the documentation says.
    argument: String,
    result: &'s str,
    advertised: String,
}

impl Operation<'_> {
    fn is_request(&self) -> bool {
        self.method.response.is_some()
    }

    /// The capability, as a path below `agentCapabilities` or `clientCapabilities`. One of the
    /// other side's is not for this one to advertise.
    fn capability(&self) -> Option<&str> {
        let path = self.method.capability.as_deref()?;
        let of_others = [&AGENTS, &CLIENTS].into_iter().filter(|half| half.side != self.half.side);
        let is_other = of_others.map(|half| half.capabilities).any(|prefix| path.starts_with(prefix));
        (!is_other).then(|| path.strip_prefix(self.half.capabilities).unwrap_or(path))
    }

    /// In an agent, what a session is to an operation is decided by hand.
    fn is_on_session_of_client(&self) -> bool {
        self.half.side == Side::Client && self.names_session
    }

    fn gate(&self) -> TokenStream {
        gate(self.method.unstable)
    }
}

pub fn emit(root: &Path, schema: &Schema, overlay: &Overlay, header: &str) -> Result<Vec<Output>> {
    let macros = Path::new(MACROS);
    let table = |items: &[Item]| format::file(header, items);
    let mut outputs = vec![
        Output { path: rust_file(macros, "mod"), text: module(header, &["methods", "operations"]) },
        Output { path: rust_file(macros, "methods"), text: table(&[method_table(schema)])? },
    ];
    let mut tables = vec![Item::Text("use crate::operation::Operation;\n".to_owned())];
    let mut halves = Vec::new();
    for half in [&AGENTS, &CLIENTS] {
        let operations = collect(schema, overlay, half)?;
        // A schema of an earlier release may go without the functions of one side.
        if half.side == Side::Client && operations.is_empty() {
            continue;
        }
        tables.push(operation_table(&operations, half));
        let folder = Path::new(half.folder);
        let files: &[&str] = if half.side == Side::Client { &["op"] } else { &["arguments", "op"] };
        outputs.push(Output { path: rust_file(folder, "mod"), text: module(header, files) });
        if half.side != Side::Client {
            let text = table(&markers::arguments(&operations))?;
            outputs.push(Output { path: rust_file(folder, "arguments"), text });
        }
        let markers = markers::emit(&operations, half);
        outputs.push(Output { path: rust_file(folder, "op"), text: table(&markers)? });
        halves.push((half.rules, operations));
    }
    outputs.push(Output { path: rust_file(macros, "operations"), text: table(&tables)? });
    outputs.extend(page::emit(root, &halves)?);
    Ok(outputs)
}

fn collect<'s>(schema: &'s Schema, overlay: &'s Overlay, half: &'static Half) -> Result<Vec<Operation<'s>>> {
    let Half { section, article, attribute, side, .. } = half;
    let mut operations = Vec::new();
    for name in overlay.keys(section) {
        let text = |key: &str| overlay.nested(section, name, key);
        let required = |key: &str| text(key).with_context(|| format!("[{section}] {name} has no {key}"));
        let wire = required("method")?;
        let mut methods = schema.methods.iter().filter(|method| method.name == wire).peekable();
        ensure!(methods.peek().is_some(), "[{section}] {name}: the schema has no method \"{wire}\"");
        let method = methods.find(|method| method.handler == *side).with_context(|| {
            format!("[{section}] {name}: \"{wire}\" is not handled by {article} {attribute}")
        })?;
        let mut operation = Operation {
            half,
            names_session: names_session(schema, &method.params),
            name: name.to_owned(),
            marker: names::pascal(name),
            doc: required("doc")?,
            method,
            argument: text("argument").map_or_else(|| format!("`{}`", method.params), str::to_owned),
            result: required("result")?,
            advertised: String::new(),
        };
        operation.advertised = match (text("advertised"), operation.capability()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(path)) => format!("`{path}`"),
            (None, None) => String::new(),
        };
        operations.push(operation);
    }
    Ok(operations)
}

/// Whether the params have a `sessionId`, as they must.
fn names_session(schema: &Schema, params: &str) -> bool {
    let mut named = schema.definitions.iter().filter(|definition| definition.name == params);
    named.any(|Definition { kind, .. }| match kind {
        Kind::Object(object) => object.fields.iter().any(|field| {
            field.wire == "sessionId" && is_required(field) && field.ty == Type::Ref("SessionId".to_owned())
        }),
        _ => false,
    })
}

fn module(header: &str, names: &[&str]) -> String {
    let mut text =
        format!("{header}\n// Formatted by the generator, so that it does not depend on the toolchain.\n");
    for name in names {
        let _ = writeln!(text, "#[rustfmt::skip]\npub(crate) mod {name};");
    }
    text
}

/// What the macro knows about methods: rows on one line each, laid out by hand.
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

/// The same about operations.
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
