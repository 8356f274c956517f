//! `cargo xtask schema missing-docs`, and the wording it reads.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::releases::run_in;
use xtask::schema::docs::{DocEntry, Docs};

const STABLE: &str = r##"{"$defs": {
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

const UNSTABLE: &str = r##"{"$defs": {
    "Tool": {"type": "object", "properties": {"title": {"type": "string"}, "shade": {"type": "string"}, "_meta": {}}},
    "Kind": {"anyOf": [
        {"type": "string", "const": "read"}, {"type": "string", "const": "write"}, {"title": "other", "type": "string"}]},
    "Fork": {"type": "object", "properties": {"_meta": {}}}
}}"##;

const SECOND: &str = r##"{"$defs": {
    "Kind": {"anyOf": [{"type": "string", "const": "other"}, {"title": "unknown", "type": "string"}]},
    "Idle": {"properties": {"reason": {"type": ["string", "null"]}}, "anyOf": [
        {"type": "object", "properties": {"reason": {"type": "string", "const": "done"}}},
        {"title": "other", "type": "object", "properties": {"reason": {"type": "string"}},
            "not": {"anyOf": [{"type": "object", "properties": {"reason": {"type": "string", "const": "done"}}}]}},
        {"title": "none", "type": "object", "properties": {"reason": {"type": "null"}}}]}
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
v1 Tool.fields.shade
v1 Kind.variants.write
v1 Fork
v2 Kind
v2 Kind.variants.other
v2 Idle
v2 Idle.fields.reason
v2 Idle.variants.done
v2 Idle.variants.none
";

const COMPLETE: &str = r#"
Tool = { doc = "A.", fields.title = "B.", fields.shade = "C." }
Kind = { doc = "A.", variants.read = "B.", variants.write = "C.", variants.other = "Own words for the fallback." }
Fork = { doc = "A." }
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

const COMPLETE_SECOND: &str = r#"
Kind = { doc = "A.", variants.other = "B." }
Idle = { doc = "A.", fields.reason = "B.", variants = { done = "C.", none = "D." } }
"#;

/// A workspace with both versions; `docs` are files below `schema/docs`.
fn workspace(docs: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let schema = root.path().join("schema");
    for folder in ["v1", "v2", "docs/v1", "docs/v2"] {
        fs::create_dir_all(schema.join(folder)).unwrap();
    }
    let files = [
        ("v1/schema.json", STABLE),
        ("v1/schema.unstable.json", UNSTABLE),
        ("v2/schema.json", SECOND),
        ("v2/schema.unstable.json", SECOND),
    ];
    for (name, text) in files {
        fs::write(schema.join(name), text).unwrap();
    }
    for (name, text) in docs {
        fs::write(schema.join("docs").join(name), text).unwrap();
    }
    root
}

/// Returns the list, and the error if there is one.
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
    assert_eq!(error.unwrap(), "28 without wording and 0 stale in schema/docs");
}

#[test]
fn complete_wording_passes() {
    let root = workspace(&[("v1/all.toml", COMPLETE), ("v2/all.toml", COMPLETE_SECOND)]);
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
    let first_only = format!("{COMPLETE_SECOND}\nTool = {{ doc = \"A.\" }}");
    let root = workspace(&[("v1/all.toml", &more), ("v1/gone.toml", gone), ("v2/all.toml", &first_only)]);
    let (listed, error) = missing_docs(root.path());
    assert_eq!(
        listed,
        "v1 Tool.fields.title\n\
         stale: v1 Envelope\n\
         stale: v1 Gone\n\
         stale: v1 Tool.fields._meta\n\
         stale: v1 Tool.fields.name\n\
         stale: v1 Extra.variant_fields.a.b\n\
         stale: v2 Tool\n"
    );
    assert_eq!(error.unwrap(), "1 without wording and 6 stale in schema/docs");
}

#[test]
fn wording_is_found_by_what_it_describes() {
    let root = workspace(&[("v1/all.toml", COMPLETE)]);
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
        let root = workspace(&[
            ("v1/a.toml", "Kind = { doc = \"A.\" }"),
            ("v1/b.toml", text),
            ("v1/notes.md", "no wording"),
        ]);
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
    for version in ["v1", "v2"] {
        let docs = Docs::load(&root.join("schema/docs").join(version)).unwrap();
        assert!(docs.definition("PromptRequest").is_some(), "{version}");
    }
}
