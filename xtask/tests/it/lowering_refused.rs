//! Schemas that no shape fits: the error names the definition and the JSON pointer, and nothing is
//! written.

use std::fs;

use serde_json::{Value, json};
use xtask::codegen::ir::{Schema, Skipped};
use xtask::codegen::overlay::Overlay;
use xtask::codegen::{account, from_schema, generate, lower};
use xtask::output::Mode;
use xtask::releases;
use xtask::schema::docs::Docs;

/// Definitions, our decisions about them, and the one defect that they have.
const DEFECTS: &[(&str, &str, &str)] = &[
    (
        r#""T": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/n: no Rust type for "integer"; add "format": "int32" or "int64" or "uint16" or "uint32" or "uint64""##,
    ),
    (
        r#""T": {"type": ["string", "null"]}"#,
        "",
        r##"definition "T" at #/$defs/T: only members may be null"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"l": {"type": "array", "items": {"type": ["string", "null"]}}}}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/l/items: only members may be null"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"v": {"const": "x"}}, "required": ["v"]}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/v: no shape for what `const` says here"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "string"}}"#,
        "",
        r##"definition "T" at #/$defs/T/additionalProperties: members beside the named ones would be lost"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"s": {"type": "string"}}}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/s: optional, not nullable and without a default: allow null with "type": ["string", "null"], or make it required"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"s": {"type": ["string", "null"], "default": "x"}}}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/s: absent, null and a default are three things"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"b": {"type": "boolean", "default": true}}}"#,
        "",
        r##"definition "T" at #/$defs/T/properties/b/default: true is not what the absence of its parts means; the IR has no place for it"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}"#,
        "[patch]\nT = [\"s\"]",
        r##"definition "T" at #/$defs/T/properties/s: a three-state member must be optional and nullable"##,
    ),
    (
        r##""T": {"type": "array", "items": {"$ref": "#/$defs/Gone"}}"##,
        "",
        r##"definition "T" at #/$defs/T: refers to Gone, which becomes no type"##,
    ),
    (
        r##""T": {"type": "array", "items": {"$ref": "#/$defs/Envelope"}}, "Envelope": {"type": "object", "x-docs-ignore": true}"##,
        "",
        r##"definition "T" at #/$defs/T: refers to Envelope, which becomes no type"##,
    ),
    (
        r#""T": {"anyOf": [{"type": "integer", "format": "int32", "const": 1}]}"#,
        "",
        r##"definition "T" at #/$defs/T/anyOf/0: 1 has no Rust name; add it to [integers.T] of the overlay"##,
    ),
    (
        r#""T": {"oneOf": [{"type": "string", "const": "a_b"}, {"type": "string", "const": "a-b"}]}"#,
        "",
        r##"definition "T" at #/$defs/T: the variant name AB is taken"##,
    ),
    (
        r#""T": {"oneOf": [{"type": "string", "const": "other"}, {"type": "string", "const": "unknown"}]}"#,
        "",
        r##"definition "T" at #/$defs/T: the variant name Other is taken"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"a_b": {}, "aB": {}}}"#,
        "",
        r##"definition "T" at #/$defs/T: the field name a_b is taken"##,
    ),
    (
        r#""Result": {"type": "object", "properties": {}}"#,
        "",
        r##"definition "Result" at #/$defs/Result: the type name Result is taken; give the definition another name"##,
    ),
    (
        r#""T": {"anyOf": [{"title": "A", "type": "array", "items": {"type": "string"}}, {"title": "B", "type": "array", "items": {"type": "boolean"}}]}"#,
        "[arms]\nT = { B = \"B\" }",
        r##"definition "T" at #/$defs/T/anyOf/0: arms that neither the kind of value nor a member tells apart: they are JSON values of different kinds, or objects that require different members"##,
    ),
    (
        r##""T": {"anyOf": [{"title": "A", "allOf": [{"$ref": "#/$defs/U"}]}, {"title": "B", "type": "string"}]}, "U": {"type": "object"}"##,
        "[arms]\nT = { U = \"A\" }",
        r##"definition "T" at #/$defs/T/anyOf/0: arms that neither the kind of value nor a member tells apart: they are JSON values of different kinds, or objects that require different members"##,
    ),
    (
        r##""T": {"anyOf": [{"title": "A", "allOf": [{"$ref": "#/$defs/U"}]}]}, "U": {"type": "object"}"##,
        "",
        r##"definition "T" at #/$defs/T/anyOf/0: the arm "U" has no Rust name; add it to T in [arms] of the overlay"##,
    ),
    (
        r#""T": {"type": "object", "properties": {"id": {}}, "oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}}]}"#,
        "",
        r##"definition "T" at #/$defs/T: the union inside needs a name: add T to [flattened] of the overlay"##,
    ),
    (
        r#""T": {"anyOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"type": "string"}}}]}"#,
        "",
        r##"definition "T" at #/$defs/T/anyOf/1: a tag without `const` needs a `not` that lists the known tags"##,
    ),
    (
        r#""T": {"anyOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"const": "b"}}}, {"properties": {"k": {"type": "string"}}, "not": {"anyOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"properties": {"k": {"const": "c"}}, "required": ["k"]}]}}]}"#,
        "",
        r##"definition "T" at #/$defs/T/anyOf/2/not: the list of known values of `k` is not that of the variants; not in the list: [b], no variant: [c]"##,
    ),
    (
        r#""T": {"anyOf": [{"properties": {"k": {"const": "a"}}}, {"properties": {"k": {"type": "string"}}, "not": {"anyOf": [{"properties": {"k": {"const": "a"}}}]}}]}"#,
        "",
        r##"definition "T" at #/$defs/T/anyOf/1/not/anyOf/0: an entry must require one constant value of `k`"##,
    ),
    (
        r##""T": {"oneOf": [{"properties": {"k": {"const": "a"}, "x": {}}, "allOf": [{"$ref": "#/$defs/U"}]}]}, "U": {"type": "object"}"##,
        "",
        r##"definition "T" at #/$defs/T/oneOf/0: an arm with members of its own and a reference"##,
    ),
    (
        r#""T": {"type": "object", "x-method": "t", "x-side": "agent"}"#,
        "",
        r##"definition "T" at #/$defs/T: has a method, but no envelope carries it; in a schema without envelopes the name of the definition ends in Request, Response or Notification"##,
    ),
    (
        r##""T": {"type": "object", "x-method": "t", "x-side": "agent"}, "AgentRequest": {"x-docs-ignore": true, "anyOf": [{"$ref": "#/$defs/T"}]}"##,
        "",
        r##"definition "T" at #/$defs/T: t is a request without a response; add a definition for its result with "x-method": "t""##,
    ),
];

const HEADER: &str = "the schema has constructs that the generator does not know; nothing was written";

#[test]
fn what_fits_no_shape_is_refused_where_it_stands() {
    for (definitions, overlay, expected) in DEFECTS {
        // The lines for the overlay, if there are any, are tried in `own_schema.rs`.
        let refused = refused(definitions, overlay);
        let defects = refused.split("\nadd to the overlay").next().unwrap();
        assert_eq!(defects, format!("{HEADER}\n  {expected}"), "{definitions}");
    }
}

#[test]
fn all_defects_are_reported_at_once() {
    let definitions =
        r#""A": {"type": ["string", "null"]}, "B": {"type": "string"}, "C": {"type": "number"}"#;
    let expected = format!(
        "{HEADER}\n  \
         definition \"A\" at #/$defs/A: only members may be null\n  \
         definition \"C\" at #/$defs/C: no Rust type for \"number\"; add \"format\": \"double\""
    );
    assert_eq!(refused(definitions, ""), expected);
}

#[test]
fn decisions_that_match_nothing_are_refused() {
    let definitions = r#""T": {"type": "object", "properties": {"s": {"type": ["string", "null"]}}}"#;
    let overlay = "[layout]\ninline = [\"Gone\"]\n[members]\ngone = \"x\"\n[patch]\nT = [\"s\", \"t\"]\n\
                   [arms]\nT = { Gone = \"Gone\" }\n[integers.T]\n\"1\" = \"ONE\"\n[null]\ntypes = [\"Gone\"]";
    assert_eq!(
        refused(definitions, overlay),
        "overlay entries that match nothing in the schema; remove or mend them:\n  \
         arms / T / Gone\n  \
         integers / T / 1\n  \
         layout / inline / Gone\n  \
         members / gone\n  \
         null / types / Gone\n  \
         patch / T / t"
    );
}

#[test]
fn each_definition_is_emitted_or_skipped_by_a_rule() {
    let definitions =
        r#""A": {"type": "string"}, "B": {"type": "string"}, "Envelope": {"x-docs-ignore": true}"#;
    let json = document(definitions);
    let lowered = || lower::lower(&json, &Overlay::parse("").unwrap()).unwrap();
    account(&json, &lowered()).unwrap();
    assert_eq!(lowered().skipped.len(), 1);

    let counts = |change: fn(&mut Schema)| {
        let mut schema = lowered();
        change(&mut schema);
        account(&json, &schema).unwrap_err().to_string()
    };
    assert_eq!(
        counts(|schema| schema.definitions.retain(|definition| definition.name != "B")),
        "3 definitions in, 2 emitted or skipped by a rule; lost: [B], from nowhere: []"
    );
    assert_eq!(
        counts(|schema| schema.skipped.clear()),
        "3 definitions in, 2 emitted or skipped by a rule; lost: [Envelope], from nowhere: []"
    );
    assert_eq!(
        counts(|schema| schema.skipped.push(Skipped { name: "New".to_owned(), rule: "none" })),
        "3 definitions in, 4 emitted or skipped by a rule; lost: [], from nowhere: [New]"
    );
    assert_eq!(
        counts(|schema| schema.skipped.push(Skipped { name: "A".to_owned(), rule: "none" })),
        "3 definitions in, 4 emitted or skipped by a rule; lost: [], from nowhere: []"
    );
}

#[test]
fn a_refused_schema_leaves_everything_as_it_was() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    let file = root.join("upstream.json");
    fs::write(&file, document(r#""T": {"type": "integer"}"#).to_string()).unwrap();
    let import = ["update", "--file", file.to_str().unwrap()].map(str::to_owned);
    releases::run_in(root, &import, &mut Vec::new()).unwrap();
    fs::create_dir_all(root.join("schema/overlay")).unwrap();
    fs::create_dir_all(root.join("schema/docs/v1")).unwrap();
    fs::write(root.join("schema/overlay/v1.toml"), "").unwrap();
    let generated = root.join("crates/acp-types/src/v1/generated");
    fs::create_dir_all(&generated).unwrap();
    fs::write(generated.join("kept.rs"), "// Of before.\n").unwrap();

    let error = format!("{:#}", generate(root, Mode::Write).unwrap_err());
    assert!(error.contains(r##"definition "T" at #/$defs/T: no Rust type for "integer""##), "{error}");
    assert_eq!(fs::read_dir(&generated).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(generated.join("kept.rs")).unwrap(), "// Of before.\n");
}

fn refused(definitions: &str, overlay: &str) -> String {
    let overlay = Overlay::parse(overlay).unwrap();
    let generated = from_schema(&document(definitions), &overlay, &Docs::default(), "");
    generated.expect_err(definitions).to_string()
}

fn document(definitions: &str) -> Value {
    let definitions: Value = serde_json::from_str(&format!("{{{definitions}}}")).unwrap();
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": definitions })
}
