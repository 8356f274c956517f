//! `JsonSchema` of each type, in files beside the types, behind the feature `schemars`.
//!
//! The code describes the allowed values in calls of `acp_types::json_schema`. It is laid out by
//! hand: the formatter breaks calls with long texts into many lines.

mod code;
mod members;
mod unions;

use std::collections::BTreeMap;

use anyhow::Result;
use proc_macro2::{TokenStream, TokenTree};

use super::context::Context;
use super::messages;
use super::target::{Target, rust_file};
use crate::codegen::format::{self, Item};
use crate::codegen::ir::{Definition, IntegerValue, Kind, Object, Schema, StringEnum, Type};
use crate::output::Output;
use code::{Code, text};
use members::members;
use unions::{tagged, untagged};

/// The name of the module, in the module of the types.
const MODULE: &str = "json_schema";

/// The file of what each side sends.
const MESSAGES: &str = "messages";

/// The declaration in the module of the types.
pub(super) const DECLARATION: &str = "\n#[cfg(feature = \"schemars\")]\nmod json_schema;\n";

/// The hand-written types that schemas name, and where they come from: of no crate, from the
/// runtime.
const BY_HAND: [(&str, &str); 3] = [("Map", "acp_json"), ("Value", "acp_json"), ("Meta", "")];

/// One file for each file of types.
pub(super) fn files(
    context: &Context<'_>,
    target: &Target,
    homes: &BTreeMap<&str, Vec<&Definition>>,
    unstable: bool,
    has_messages: bool,
    header: &str,
) -> Result<Vec<Output>> {
    let types = if unstable { target.folder.join("unstable") } else { target.folder.clone() };
    let folder = types.join(MODULE);
    let messages = has_messages.then_some(MESSAGES);
    let modules: String =
        homes.keys().copied().chain(messages).map(|name| format!("mod {name};\n")).collect();
    let mut outputs = vec![Output { path: rust_file(&folder, "mod"), text: format!("{header}\n{modules}") }];
    for (name, definitions) in homes {
        let written = definitions.iter().map(|definition| implementation(context, target, definition));
        let schemas: Vec<String> = written.collect();
        let imports = imports(context.runtime, unstable, &schemas.concat())?;
        let items: Vec<Item> = [imports].into_iter().chain(schemas).map(Item::Text).collect();
        outputs.push(Output { path: rust_file(&folder, name), text: format::file(header, &items)? });
    }
    Ok(outputs)
}

/// Emits the schema of each side's messages: the content of any of them, without the name of the
/// method.
pub(super) fn messages(schema: &Schema, target: &Target, header: &str) -> Result<Output> {
    let mut items = vec![Item::Text(imports(target.runtime, false, "")?)];
    for (family, members) in messages::families(schema) {
        let mut code = Code::default();
        code.line(false, "let mut union = json_schema::Untagged::new();");
        for (method, ty) in members {
            let wording = text(Some(&format!("`{}`", method.name)));
            code.call(method.unstable, &format!("union.arm::<{ty}>"), &["generator", &wording]);
        }
        code.last_call("union.schema", &[&text(Some(family.docs))]);
        items.push(Item::Text(implement(&format!("{MESSAGES}::"), family.name, target, &code)));
    }
    let path = rust_file(&target.folder.join(MODULE), MESSAGES);
    Ok(Output { path, text: format::file(header, &items)? })
}

fn imports(runtime: &str, unstable: bool, schemas: &str) -> Result<String> {
    let tokens: TokenStream = schemas.parse().map_err(|error| anyhow::anyhow!("{error}: {schemas}"))?;
    let mut imports = String::new();
    for (name, source) in BY_HAND.into_iter().filter(|(name, _)| names(tokens.clone(), name)) {
        let source = if source.is_empty() { runtime } else { source };
        imports.push_str(&format!("use {source}::{name};\n"));
    }
    let all = if unstable { "super::super::super" } else { "super::super" };
    Ok(format!("{imports}use {runtime}::{MODULE};\n\nuse {all}::*;\n"))
}

fn names(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}

fn implementation(context: &Context<'_>, target: &Target, definition: &Definition) -> String {
    let description = text(context.definition_text(definition).as_deref());
    let mut code = Code::default();
    match &definition.kind {
        Kind::Object(one) => object(&mut code, context, definition, one, &description),
        Kind::Newtype(ty) => {
            code.last_call(&format!("json_schema::newtype::<{ty}>"), &["generator", &description]);
        }
        Kind::StringEnum(values) => string_enum(&mut code, context, definition, values, &description),
        Kind::IntegerEnum { values, repr } => {
            integer_enum(&mut code, context, definition, values, repr, &description);
        }
        Kind::Tagged(union) => tagged(&mut code, context, definition, union, &description),
        Kind::Untagged(union) => untagged(&mut code, context, definition, union, &description),
    }
    implement("", &definition.name, target, &code)
}

/// The impl with these statements, for a type in this module.
fn implement(module: &str, ty: &str, target: &Target, code: &Code) -> String {
    // Two versions, and whatever a user has beside them, must do in one document.
    let version = target.version.map(|version| format!("{version}.")).unwrap_or_default();
    let generator = if code.uses_generator() { "generator" } else { "_" };
    format!(
        "impl json_schema::JsonSchema for {module}{ty} {{
    fn schema_name() -> json_schema::Name {{
        \"{version}{ty}\".into()
    }}

    fn schema_id() -> json_schema::Name {{
        concat!(module_path!(), \"::{ty}\").into()
    }}

    fn json_schema({generator}: &mut json_schema::SchemaGenerator) -> json_schema::Schema {{
{code}    }}
}}
"
    )
}

fn object(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    object: &Object,
    description: &str,
) {
    let new = "json_schema::Object::new()";
    if object.fields.is_empty() && object.union.is_none() && !object.others {
        return code.last_call(&format!("{new}.schema"), &[description]);
    }
    code.line(false, &format!("let mut object = {new};"));
    members(code, "object", object, |one| context.field_text(definition, one));
    code.last_call("object.schema", &[description]);
}

fn string_enum(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    values: &StringEnum,
    description: &str,
) {
    let known = values.values.iter().map(|value| {
        let wording = text(context.variant_text(definition, &value.wire));
        (value.unstable, format!("({:?}, {wording})", value.wire))
    });
    let known = Code::list(known);
    let kind = if values.open { "open" } else { "closed" };
    code.last_call(&format!("json_schema::{kind}_enum"), &[&known, description]);
}

fn integer_enum(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    values: &[IntegerValue],
    repr: &Type,
    description: &str,
) {
    let known = values.iter().map(|value| {
        let wording = text(context.variant_text(definition, &value.wire.to_string()));
        (value.unstable, format!("({}, {wording})", value.wire))
    });
    let known = Code::list(known);
    code.last_call(&format!("json_schema::integer_enum::<{repr}>"), &["generator", &known, description]);
}
