//! `cargo xtask schema missing-docs`, and the wording it reads.

#![allow(clippy::unwrap_used, reason = "a test stops at a broken assumption")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::schema::docs::{DocEntry, Docs};
use xtask::schema::run_in;

const SCHEMA: &str = r##"{"$defs": {
    "Envelope": {"x-docs-ignore": true, "type": "object", "properties": {"id": {}}},
    "Tool": {"type": "object", "properties": {"title": {"type": "string"}, "_meta": {}}},
    "Kind": {"anyOf": [{"type": "string", "const": "read"}, {"title": "other", "type": "string"}]},
    "RealOther": {"oneOf": [{"title": "other", "type": "string", "const": "other"}]},
    "Code": {"anyOf": [{"title": "Cancelled", "type": "integer", "const": -32800}, {"title": "Other", "type": "integer"}]},
    "Id": {"anyOf": [{"title": "Null", "type": "null"}, {"title": "Number", "type": "integer"}]},
    "Server": {"anyOf": [
        {"type": "object", "properties": {"type": {"type": "string", "const": "http"}}, "allOf": [{"$ref": "#/$defs/Tool"}]},
        {"title": "stdio", "allOf": [{"$ref": "#/$defs/Tool"}]},
        {"title": "future", "type": "object", "properties": {"type": {"type": "string"}},
            "not": {"anyOf": [{"type": "object", "properties": {"type": {"type": "string", "const": "http"}}}]}}]},
    "Option": {"anyOf": [
        {"type": "object", "properties": {"type": {"type": "string", "const": "boolean"}, "value": {"type": "boolean"}}},
        {"title": "value_id", "type": "object", "properties": {"value": {"type": "string"}}}]}
}}"##;

const EVERYTHING: &str = "\
v1 Tool
v1 Tool.fields.title
v1 Kind
v1 Kind.variants.read
v1 RealOther
v1 RealOther.variants.other
v1 Code
v1 Code.variants.-32800
v1 Id
v1 Id.variants.Null
v1 Id.variants.Number
v1 Server
v1 Server.variants.http
v1 Server.variants.Tool
v1 Option
v1 Option.variants.boolean
v1 Option.variant_fields.boolean.value
v1 Option.variants.value_id
v1 Option.variant_fields.value_id.value
";

const COMPLETE: &str = r#"
Tool = { doc = "A.", fields.title = "B." }
Kind = { doc = "A.", variants.read = "B.", variants.other = "Own words for the fallback." }
RealOther = { doc = "A.", variants.other = "B." }
Id = { doc = "A.", variants = { Null = "B.", Number = "C." } }
Server = { doc = "A.", variants = { http = "B.", Tool = "C." } }

[Code]
doc = "A."
[Code.variants]
-32800 = "B."

[Option]
doc = "A."
[Option.variants]
boolean = "B."
value_id = "C."
[Option.variant_fields.boolean]
value = "D."
[Option.variant_fields.value_id]
value = "E."
"#;

fn workspace(docs: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("schema/docs/v1");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(root.path().join("schema/v1")).unwrap();
    fs::write(root.path().join("schema/v1/schema.json"), SCHEMA).unwrap();
    for (name, text) in docs {
        fs::write(folder.join(name), text).unwrap();
    }
    root
}

/// What is listed, and the error if there is one.
fn missing_docs(root: &Path) -> (String, Option<String>) {
    let mut out = Vec::new();
    let result = run_in(root, &["missing-docs".to_owned()], &mut out);
    (String::from_utf8(out).unwrap(), result.err().map(|error| format!("{error:#}")))
}

#[test]
fn everything_without_wording_is_listed() {
    let root = workspace(&[]);
    let (listed, error) = missing_docs(root.path());
    assert_eq!(listed, EVERYTHING);
    assert_eq!(error.unwrap(), "19 without wording and 0 stale in schema/docs");
}

#[test]
fn complete_wording_passes() {
    let root = workspace(&[("all.toml", COMPLETE)]);
    assert_eq!(missing_docs(root.path()), (String::new(), None));
}

#[test]
fn wording_for_what_is_not_there_is_stale() {
    let gone = r#"
Gone = { doc = "A." }
Envelope = { doc = "Never generated." }
[Extra.variant_fields.a]
b = "C."
"#;
    let more = COMPLETE.replace("fields.title = \"B.\"", "fields.name = \"B.\", fields._meta = \"C.\"");
    let root = workspace(&[("all.toml", &more), ("gone.toml", gone)]);
    let (listed, error) = missing_docs(root.path());
    assert_eq!(
        listed,
        "v1 Tool.fields.title\n\
         stale: v1 Envelope\n\
         stale: v1 Gone\n\
         stale: v1 Tool.fields._meta\n\
         stale: v1 Tool.fields.name\n\
         stale: v1 Extra.variant_fields.a.b\n"
    );
    assert_eq!(error.unwrap(), "1 without wording and 5 stale in schema/docs");
}

#[test]
fn wording_is_found_by_what_it_describes() {
    let root = workspace(&[("all.toml", COMPLETE)]);
    let docs = Docs::load(&root.path().join("schema/docs/v1")).unwrap();
    assert_eq!(docs.definition("Tool"), Some("A."));
    assert_eq!(docs.field("Tool", "title"), Some("B."));
    assert_eq!(docs.variant("Code", "-32800"), Some("B."));
    assert_eq!(docs.variant_field("Option", "value_id", "value"), Some("E."));
    assert_eq!(docs.field("Option", "value"), None);
    assert!(docs.entries().any(|entry| *entry == DocEntry::Variant("Server".to_owned(), "Tool".to_owned())));
}

#[test]
fn bad_wording_names_file_and_entry() {
    let cases = [
        ("Tool = { doc = \"\" }", "b.toml: Tool is empty; leave it out until it is written"),
        ("[Tool.fields]\ntitle = 1", "b.toml: Tool.fields.title is not a string"),
        (
            "[Tool.methods]",
            "b.toml: [Tool] has \"methods\"; known are doc, fields, variants and variant_fields",
        ),
        ("Tool = 1", "b.toml: a part of [Tool] is not a table"),
        ("Kind = { doc = \"A.\" }", "b.toml; keep one"),
        ("[Tool", "b.toml is not TOML"),
    ];
    for (text, expected) in cases {
        let root =
            workspace(&[("a.toml", "Kind = { doc = \"A.\" }"), ("b.toml", text), ("notes.md", "no wording")]);
        let (listed, error) = missing_docs(root.path());
        let error = error.unwrap();
        assert!(listed.is_empty() && error.contains(expected), "{error}");
    }
}

#[test]
fn the_wording_of_this_repository_describes_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (listed, _) = missing_docs(root);
    assert!(!listed.contains("stale:"), "{listed}");
    assert!(Docs::load(&root.join("schema/docs/v1")).unwrap().definition("PromptRequest").is_some());
}
