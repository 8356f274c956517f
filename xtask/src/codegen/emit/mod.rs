//! From the IR to Rust: one file for each shape, one style for all.

mod context;
mod definitions;
mod field;
mod methods;
mod newtype;
mod object;
mod operations;
mod string_enum;
mod tagged;
mod untagged;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use proc_macro2::TokenStream;

use super::format;
use super::ir::{Definition, Kind, Schema};
use super::overlay::Overlay;
use crate::output::Output;
use crate::schema::docs::Docs;
use context::Context;

/// The folders that belong to the generator.
pub const FOLDERS: [&str; 4] =
    [TYPES, "crates/acp-testkit/src/generated", operations::MACROS, operations::AGENT];

const TYPES: &str = "crates/acp-types/src/v1/generated";

/// A top-level piece of a generated file.
#[derive(Debug)]
pub enum Item {
    Tokens(TokenStream),
    /// A macro call, laid out by hand: the formatter leaves the inside of macros alone.
    Text(String),
}

/// Everything that is generated from one version of the schema.
pub fn emit(schema: &Schema, overlay: &Overlay, docs: &Docs, header: &str) -> Result<Vec<Output>> {
    let context = Context::new(schema, docs);
    let mut files: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for definition in &schema.definitions {
        // A union that lies flat in an object goes where the object goes.
        let file = overlay.list_with("files", &definition.described_by).unwrap_or("unsorted");
        files.entry(file).or_default().extend(emit_definition(&context, definition));
    }
    let folder = Path::new(TYPES);
    let mut outputs = Vec::new();
    for (name, items) in &files {
        outputs.push(Output { path: rust_file(folder, name), text: format::file_of_types(header, items)? });
    }
    let methods = methods::emit(schema);
    outputs.push(Output { path: rust_file(folder, "methods"), text: format::file(header, &methods)? });
    outputs.push(Output { path: rust_file(folder, "mod"), text: module(header, files.keys().copied()) });
    let table = definitions::emit(schema);
    let path = rust_file(Path::new("crates/acp-testkit/src/generated"), "definitions");
    outputs.push(Output { path, text: format::file(header, &table)? });
    outputs.extend(operations::emit(schema, overlay, header)?);
    Ok(outputs)
}

fn emit_definition(context: &Context<'_>, definition: &Definition) -> Vec<Item> {
    match &definition.kind {
        Kind::Object(object) => object::emit(context, definition, object),
        Kind::Newtype(ty) => newtype::emit(context, definition, ty),
        Kind::StringEnum(values) => string_enum::emit(context, definition, values),
        Kind::IntegerEnum { values, repr } => newtype::emit_integer_enum(context, definition, values, repr),
        Kind::Tagged(union) => tagged::emit(context, definition, union),
        Kind::Untagged(union) => untagged::emit(context, definition, union),
    }
}

fn module<'a>(header: &str, files: impl Iterator<Item = &'a str> + Clone) -> String {
    let declared: String = files.clone().map(|file| format!("mod {file};\n")).collect();
    let exported: String = files.map(|file| format!("pub use {file}::*;\n")).collect();
    format!(
        "{header}\n{declared}\n/// The markers of the methods, and the table of them all.\npub mod methods;\n\n{exported}"
    )
}

fn rust_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.rs"))
}
