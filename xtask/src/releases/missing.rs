//! Which definitions, fields and variants still want our own wording, and which wording has lost
//! its object.

use std::{collections::BTreeSet, fs, io::Write, path::Path};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::codegen::overlay::Overlay;
use crate::codegen::version::{VERSIONS, Version};
use crate::schema::docs::{DocEntry, Docs};
use crate::schema::{Object, SchemaFile};

/// Lists on `out` what is missing and what is stale; either one is an error.
pub(super) fn report(root: &Path, out: &mut dyn Write) -> Result<()> {
    let (mut missing, mut stale) = (0, 0);
    for version in &VERSIONS {
        let docs = Docs::load(&root.join(version.docs()))?;
        let overlay = overlay(root, version)?;
        let name = version.name;
        let mut wanted = Wanted::default();
        for file in version.files() {
            wanted.add_file(root, file, &overlay)?;
        }
        for entry in wanted.required.iter().filter(|entry| docs.get(entry).is_none()) {
            writeln!(out, "{name} {entry}")?;
            missing += 1;
        }
        for entry in docs.entries().filter(|entry| !wanted.knows(entry)) {
            writeln!(out, "stale: {name} {entry}")?;
            stale += 1;
        }
    }
    if missing + stale > 0 {
        bail!("{missing} without wording and {stale} stale in schema/docs");
    }
    Ok(())
}

/// The decisions about a version, where there are any.
fn overlay(root: &Path, version: &Version) -> Result<Overlay> {
    let path = root.join(version.overlay());
    if path.exists() { Overlay::load(&path) } else { Overlay::parse("") }
}

#[derive(Default)]
struct Wanted {
    /// In the order of the schema.
    required: Vec<DocEntry>,
    known: BTreeSet<DocEntry>,
}

impl Wanted {
    /// A definition that is a type of another version has that version's wording.
    fn add_file(&mut self, root: &Path, file: SchemaFile, overlay: &Overlay) -> Result<()> {
        let path = file.in_workspace(root);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let schema: Value =
            serde_json::from_slice(&text).with_context(|| format!("{} is not JSON", path.display()))?;
        let definitions = schema.get("$defs").and_then(Value::as_object);
        for (name, definition) in definitions.with_context(|| format!("{} has no $defs", path.display()))? {
            if let Some(definition) = definition.as_object()
                && overlay.list_with("shared", name).is_none()
            {
                self.add_definition(name, definition);
            }
        }
        Ok(())
    }

    fn add_definition(&mut self, name: &str, definition: &Object) {
        if is_internal(definition) {
            return;
        }
        self.require(DocEntry::Definition(name.to_owned()));
        for (wire, _) in described(definition) {
            self.require(DocEntry::Field(name.to_owned(), wire.clone()));
        }
        for keyword in ["anyOf", "oneOf"] {
            for arm in array(definition, keyword).iter().filter_map(Value::as_object) {
                self.add_variant(name, arm);
            }
        }
    }

    fn add_variant(&mut self, name: &str, arm: &Object) {
        let Some(key) = variant_key(arm).filter(|_| !is_internal(arm)) else { return };
        let variant = DocEntry::Variant(name.to_owned(), key.to_owned());
        if is_fallback(arm) {
            // What a generated fallback does is the same everywhere; own wording may still replace
            // it.
            self.known.insert(variant);
            return;
        }
        self.require(variant);
        for (wire, _) in described(arm).filter(|(_, property)| !is_tag(property)) {
            self.require(DocEntry::VariantField(name.to_owned(), key.clone(), wire.clone()));
        }
    }

    fn require(&mut self, entry: DocEntry) {
        if self.known.insert(entry.clone()) {
            self.required.push(entry);
        }
    }

    fn knows(&self, entry: &DocEntry) -> bool {
        self.known.contains(entry)
    }
}

/// Envelopes and the like, which never become a type of their own.
fn is_internal(schema: &Object) -> bool {
    schema.get("x-docs-ignore") == Some(&Value::Bool(true))
}

/// The arm of an open union that takes every value the others do not name.
fn is_fallback(arm: &Object) -> bool {
    let titled = matches!(arm.get("title").and_then(Value::as_str), Some("other" | "Other" | "unknown"));
    arm.contains_key("not") || (titled && tag(arm).is_none())
}

/// The properties that want wording; `_meta` means the same everywhere.
fn described(schema: &Object) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter(|(wire, _)| *wire != "_meta")
}

/// The tag property of an arm: a constant, or only `null` in the arm for a tag that is not there.
fn is_tag(property: &Value) -> bool {
    property.get("const").is_some() || property.get("type").and_then(Value::as_str) == Some("null")
}

fn variant_key(arm: &Object) -> Option<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let title = || arm.get("title").map(text);
    tag(arm).map(text).or_else(|| referenced_name(arm)).or_else(title)
}

/// The constant of the arm itself, or that of its tag property.
fn tag(arm: &Object) -> Option<&Value> {
    arm.get("const").or_else(|| described(arm).find_map(|(_, property)| property.get("const")))
}

fn referenced_name(arm: &Object) -> Option<String> {
    let reference = arm.get("$ref").or_else(|| array(arm, "allOf").first()?.get("$ref"))?;
    reference.as_str()?.rsplit('/').next().map(str::to_owned)
}

fn array<'a>(schema: &'a Object, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
