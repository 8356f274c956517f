//! From the IR to Rust: one file for each shape, one style for all.

mod alike;
mod context;
mod definitions;
mod field;
mod messages;
mod methods;
mod newtype;
mod object;
mod operations;
mod schemars;
mod session_methods;
mod string_enum;
mod tagged;
mod target;
mod untagged;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::alike::Alike;
use super::format::{self, Item};
use super::ir::{Definition, Kind, Schema};
use super::version::Version;
use crate::output::Output;
use crate::schema::docs::Docs;
use context::Context;
pub use target::Target;
use target::rust_file;

/// The folders that belong to the generator.
pub const FOLDERS: [&str; 7] = [
    "crates/acp-types/src/v1/generated",
    "crates/acp-types/src/v2/generated",
    TABLE,
    REMOTE,
    operations::MACROS,
    operations::AGENT,
    operations::CLIENT,
];

const TABLE: &str = "crates/acp-testkit/src/generated";
const REMOTE: &str = "crates/acp-http/src/wire/generated";

/// The types of one version: a file for each domain, and under `unstable/` those that only the
/// unstable schema has. A definition's domain is the file that its wording stands in.
pub fn types(schema: &Schema, docs: &Docs, version: &Version, header: &str) -> Result<Vec<Output>> {
    let elsewhere = schema
        .shared
        .iter()
        .map(|(name, version)| (name.clone(), format!("crate::{version}::{name}")))
        .collect();
    let target = Target {
        folder: version.folder(),
        runtime: "crate",
        elsewhere,
        documented: true,
        version: Some(version.name),
    };
    types_for(schema, docs, &target, header)
}

/// Emits the types of one schema for any crate.
pub fn types_for(schema: &Schema, docs: &Docs, target: &Target, header: &str) -> Result<Vec<Output>> {
    let context = Context::new(schema, docs, target.runtime);
    let folder = target.folder.clone();
    let is_here = |definition: &&Definition| !target.elsewhere.contains_key(&definition.name);
    let mut outputs = Vec::new();
    for unstable in [false, true] {
        let mut files: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
        let mut homes: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
        let definitions = schema.definitions.iter().filter(is_here);
        for definition in definitions.filter(|definition| definition.unstable == unstable) {
            // A union that lies flat in an object goes where the object goes.
            let file = docs.domain(&definition.described_by).unwrap_or("unsorted");
            files.entry(file).or_default().extend(emit_definition(&context, definition));
            homes.entry(file).or_default().push(definition);
        }
        let (folder, above) = if unstable { (folder.join("unstable"), 2) } else { (folder.clone(), 1) };
        for (name, items) in &files {
            let text = format::file_of_types(header, items, above, target.runtime)?;
            outputs.push(Output { path: rust_file(&folder, name), text });
        }
        let has_unstable = schema.definitions.iter().any(|definition| definition.unstable);
        if !unstable || has_unstable {
            let names: Vec<&str> = files.keys().copied().collect();
            let has_methods = !unstable && !schema.methods.is_empty();
            let documented = target.documented && !unstable;
            let mut text = module(header, &names, documented, has_methods, !unstable && has_unstable);
            let of_module = schema.definitions.iter().filter(|definition| definition.unstable == unstable);
            let paths = of_module.filter_map(|definition| target.elsewhere.get(&definition.name));
            text.push_str(&format::exports(paths.map(String::as_str)));
            if has_methods || !homes.is_empty() {
                text.push_str(schemars::DECLARATION);
                outputs.extend(schemars::files(&context, target, &homes, unstable, has_methods, header)?);
            }
            outputs.push(Output { path: rust_file(&folder, "mod"), text });
        }
    }
    if schema.methods.is_empty() {
        return Ok(outputs);
    }
    let messages = messages::emit(schema);
    outputs.push(Output { path: rust_file(&folder, "messages"), text: format::file(header, &messages)? });
    outputs.push(schemars::messages(schema, target, header)?);
    let methods = methods::emit(schema, target.runtime);
    outputs.push(Output { path: rust_file(&folder, "methods"), text: format::file(header, &methods)? });
    Ok(outputs)
}

/// The table by which the test kit finds types.
pub fn definitions(schemas: &[(&Version, Schema)], header: &str) -> Result<Output> {
    let text = format::file(header, &definitions::emit(schemas))?;
    Ok(Output { path: rust_file(Path::new(TABLE), "definitions"), text })
}

/// The list by which remote transports sort messages.
pub fn session_methods(schemas: &[(&Version, Schema)], header: &str) -> Result<Output> {
    let text = format::file(header, &session_methods::emit(schemas))?;
    Ok(Output { path: rust_file(Path::new(REMOTE), "session_methods"), text })
}

/// The marks of the types whose JSON is that of `version`: its own, and some of the `earlier` one.
/// They belong to the module of which `types` are the files.
pub fn alike(
    types: &mut Vec<Output>,
    (version, schema): (&Version, &Schema),
    (earlier, alike): (&Version, &[Alike]),
    header: &str,
) -> Result<()> {
    let folder = version.folder();
    let text = format::file(header, &alike::emit(schema, earlier.name, alike))?;
    types.push(Output { path: rust_file(&folder, "alike"), text });
    let module = rust_file(&folder, "mod");
    if let Some(module) = types.iter_mut().find(|output| output.path == module) {
        module.text.push_str("\nmod alike;\n");
    }
    Ok(())
}

pub use operations::emit as operations;

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

fn module(header: &str, files: &[&str], documented: bool, methods: bool, unstable: bool) -> String {
    let mut text = format!("{header}\n");
    if documented {
        text.push_str("#![deny(missing_docs)]\n\n");
    }
    text.extend(files.iter().map(|file| format!("mod {file};\n")));
    if unstable {
        text.push_str("#[cfg(feature = \"unstable\")]\nmod unstable;\n");
    }
    if methods {
        text.push_str(
            "\n/// The messages of each side, read by the name of the method.\npub mod messages;\n",
        );
        text.push_str("\n/// The markers of the methods, and the table of them all.\npub mod methods;\n");
    }
    text.push('\n');
    text.extend(files.iter().map(|file| format!("pub use {file}::*;\n")));
    if unstable {
        text.push_str("#[cfg(feature = \"unstable\")]\npub use unstable::*;\n");
    }
    text
}
