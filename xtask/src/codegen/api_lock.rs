//! `schema/api.lock`: what users of the generated types see, as one text that reviews and diffs
//! well.
//!
//! It also decides: constructor arguments that are in it keep their order, so that two members of
//! one type that change places upstream do not change places in callers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::derives::Derives;
use super::ir::{
    Arm, Definition, Field, Kind, Method, Object, Payload, Presence, Schema, Side, Tagged, Unknown, Variant,
};

/// Where the lock lies.
pub const PATH: &str = "schema/api.lock";

const HEAD: &str = "\
# The interface of the generated types, written by `cargo xtask codegen`. A change here is a change for users.
# It keeps the order of constructor arguments: to let go of it, remove the type and generate again.
";

/// Constructor arguments by type.
pub type Arguments = BTreeMap<String, Vec<String>>;

/// The order of arguments that a lock keeps for one version.
#[must_use]
pub fn arguments(lock: &str, version: &str) -> Arguments {
    let mut arguments = Arguments::new();
    for (name, block) in blocks(lock) {
        let (Some(name), Some(list)) = (
            name.strip_prefix(version).and_then(|name| name.strip_prefix(' ')),
            block.lines().find_map(|line| line.strip_prefix("    new(")?.strip_suffix(')')),
        ) else {
            continue;
        };
        let names = list.split(", ").filter_map(|argument| Some(argument.split_once(':')?.0.to_owned()));
        arguments.insert(name.to_owned(), names.collect());
    }
    arguments
}

/// Arguments in the order of the lock; those that it does not have come last, in the order of the
/// schema.
#[must_use]
pub fn constructor(schema: &Schema, definition: &Definition, object: &Object) -> Vec<String> {
    let is_required =
        |field: &&Field| matches!(field.presence, Presence::Required | Presence::RequiredNullable);
    let fields = object.fields.iter().filter(is_required).map(|field| field.rust.clone());
    let mut names: Vec<String> = fields.chain(object.union.iter().map(|union| union.field.clone())).collect();
    let locked = schema.argument_order.get(&definition.name).map_or(&[][..], Vec::as_slice);
    names.sort_by_key(|name| locked.iter().position(|other| other == name).unwrap_or(locked.len()));
    names
}

/// The types and markers that two locks say different things about.
#[must_use]
pub fn changed(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (blocks(old), blocks(new));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut lines = Vec::new();
    for name in names {
        let what = match (old.get(name), new.get(name)) {
            (None, _) => "added",
            (_, None) => "removed",
            (was, is) if was != is => "changed",
            _ => continue,
        };
        lines.push(format!("{what} {name}"));
    }
    lines
}

/// The lines of a lock about each type and marker, by version and name.
fn blocks(lock: &str) -> BTreeMap<String, String> {
    let mut blocks: BTreeMap<String, String> = BTreeMap::new();
    let (mut version, mut name) = ("", String::new());
    for line in lock.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(of) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            version = of;
            continue;
        }
        if !line.starts_with(' ') {
            let title = line.split("  #").next().unwrap_or_default();
            let title = title.split(": ").next().unwrap_or_default();
            let (_, title) = title.split_once(' ').unwrap_or_default();
            name = format!("{version} {title}");
        }
        let block = blocks.entry(name.clone()).or_default();
        block.push_str(line);
        block.push('\n');
    }
    blocks
}

/// The lock of what was generated.
#[must_use]
pub fn render(schemas: &[(&str, &Schema)]) -> String {
    let mut text = HEAD.to_owned();
    for (version, schema) in schemas {
        let _ = writeln!(text, "\n[{version}]");
        let derives = Derives::new(schema);
        let mut blocks: Vec<(&str, String)> = schema
            .definitions
            .iter()
            .map(|definition| (definition.name.as_str(), self::definition(schema, &derives, definition)))
            .collect();
        blocks.sort();
        blocks.iter().for_each(|(_, block)| text.push_str(block));
        let mut methods: Vec<String> = schema.methods.iter().map(method).collect();
        methods.sort();
        methods.iter().for_each(|line| text.push_str(line));
    }
    text
}

fn definition(schema: &Schema, derives: &Derives<'_>, definition: &Definition) -> String {
    if let Some(version) = schema.shared.get(&definition.name) {
        return marked(format!("shared {}: {version}", definition.name), definition.unstable) + "\n";
    }
    let (what, mut lines) = match &definition.kind {
        Kind::Object(object) => ("struct", members(object)),
        Kind::Newtype(of) => ("newtype", vec![format!("0: {of}")]),
        Kind::StringEnum(values) => {
            let mut lines: Vec<String> = values
                .values
                .iter()
                .map(|value| marked(format!("{} = {:?}", value.rust, value.wire), value.unstable))
                .collect();
            lines.push(format!("{}(Box<str>)", values.fallback));
            ("enum", lines)
        }
        Kind::IntegerEnum { values, repr } => {
            let mut lines = vec![format!("0: {repr}")];
            let constant = |value: &super::ir::IntegerValue| {
                marked(format!("const {} = {}", value.rust, value.wire), value.unstable)
            };
            lines.extend(values.iter().map(constant));
            ("newtype", lines)
        }
        Kind::Tagged(union) => ("enum", variants(union)),
        Kind::Untagged(union) => ("enum", union.arms.iter().map(arm).collect()),
    };
    lines.sort();
    let mut traits = Vec::new();
    traits.extend(derives.defaults(definition).then_some("Default"));
    traits.extend(derives.definition_has_eq(definition).then_some("Eq"));
    let traits = if traits.is_empty() { String::new() } else { format!(": {}", traits.join(" + ")) };
    let mut text = marked(format!("{what} {}{traits}", definition.name), definition.unstable);
    text.push('\n');
    if let Kind::Object(object) = &definition.kind {
        let _ = writeln!(text, "    {}", new(schema, definition, object));
    }
    lines.iter().for_each(|line| {
        let _ = writeln!(text, "    {line}");
    });
    text
}

fn new(schema: &Schema, definition: &Definition, object: &Object) -> String {
    let ty = |name: &String| {
        let field = object.fields.iter().find(|field| field.rust == *name).map(field_type);
        let union = || object.union.as_ref().map(|union| union.type_name.clone());
        field.or_else(union).unwrap_or_default()
    };
    let arguments: Vec<String> =
        constructor(schema, definition, object).iter().map(|name| format!("{name}: {}", ty(name))).collect();
    format!("new({})", arguments.join(", "))
}

fn members(object: &Object) -> Vec<String> {
    let fields = object.fields.iter().map(|field| {
        let wire = if field.rust == field.wire { String::new() } else { format!(" = {:?}", field.wire) };
        marked(format!("{}: {}{wire}", field.rust, field_type(field)), field.unstable)
    });
    let union = object.union.iter().map(|union| format!("{}: {}", union.field, union.type_name));
    let others = object.others.then(|| format!("{}: Map of other members", Object::OTHERS));
    fields.chain(union).chain(others).collect()
}

fn field_type(field: &Field) -> String {
    let of = if field.boxed { format!("Box<{}>", field.ty) } else { field.ty.to_string() };
    match field.presence {
        Presence::Patch => format!("Maybe<{of}>"),
        Presence::Optional | Presence::RequiredNullable => format!("Option<{of}>"),
        Presence::Required | Presence::Default(_) => of,
    }
}

fn variants(union: &Tagged) -> Vec<String> {
    let mut lines: Vec<String> = union
        .variants
        .iter()
        .map(|one| marked(format!("{} = {:?}", variant(one), one.wire), one.unstable))
        .collect();
    lines.extend(union.default.iter().map(|one| format!("{} without {:?}", variant(one), union.tag)));
    let unknown = match &union.unknown {
        Unknown::KeepWith(_) => "with typed members",
        Unknown::Keep | Unknown::KeepAsDefault => "UnknownVariant",
    };
    lines.push(format!("{}({unknown})", union.fallback));
    lines
}

fn variant(variant: &Variant) -> String {
    match &variant.payload {
        Payload::None => variant.rust.clone(),
        Payload::Ref { name, boxed: true } => format!("{}(Box<{name}>)", variant.rust),
        Payload::Ref { name, boxed: false } => format!("{}({name})", variant.rust),
        Payload::Inline(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|field| format!("{}: {}", field.rust, field_type(field))).collect();
            format!("{} {{ {} }}", variant.rust, fields.join(", "))
        }
    }
}

fn arm(arm: &Arm) -> String {
    match &arm.ty {
        Some(ty) => format!("{}({ty})", arm.rust),
        None => arm.rust.clone(),
    }
}

fn method(method: &Method) -> String {
    let handler = match method.handler {
        Side::Agent => "agent",
        Side::Client => "client",
        Side::Both => "both",
        Side::Proxy => "proxy",
    };
    let response = method.response.as_ref().map_or_else(String::new, |response| format!(" -> {response}"));
    let marker = format!(
        "method methods::{}: {:?} to {handler}, {}{response}",
        method.marker, method.name, method.params
    );
    let mut line = marked(marker, method.unstable);
    line.push('\n');
    line
}

fn marked(text: String, unstable: bool) -> String {
    if unstable { text + "  # unstable" } else { text }
}
