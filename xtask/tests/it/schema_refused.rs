//! Malformed and unknown constructs: the error names definition and pointer, and nothing is
//! written.

use std::fs;
use std::path::Path;

use xtask::releases::run_in;

/// Definitions as they would stand beside `Id`, a string, each with every problem it must give.
/// `…` stands for the advice that ends the two messages about keywords.
const DEFINITIONS: &[(&str, &[&str])] = &[
    (
        r#""T": {"type": "object", "properties": {"kind": {"type": "string", "foo": 1}}}"#,
        &[r##"definition "T" at #/$defs/T/properties/kind/foo: unknown keyword "foo"; …"##],
    ),
    (
        r#""T": {"type": "string", "enum": ["a"]}"#,
        &[r##"definition "T" at #/$defs/T/enum: keyword "enum" is not known in a definition; …"##],
    ),
    (
        r#""T": {"type": "object", "properties": {"in": {"type": "object", "properties": {"x": {"type": "string"}}}}}"#,
        &[
            r##"definition "T" at #/$defs/T/properties/in/properties: keyword "properties" is not known in a property; …"##,
        ],
    ),
    (
        r##""T": {"type": "array", "items": {"$ref": "#/$defs/Nowhere"}}"##,
        &[
            r##"definition "T" at #/$defs/T/items/$ref: refers to "Nowhere", which is not defined in this file"##,
        ],
    ),
    (
        r#""T": {"type": "array", "items": {"$ref": "other.json"}}"#,
        &[
            r##"definition "T" at #/$defs/T/items/$ref: wrong value for "$ref": expected a reference of the form "#/$defs/Name", found "other.json""##,
        ],
    ),
    (
        r##""T": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Id", "type": "string"}}}"##,
        &[
            r##"definition "T" at #/$defs/T/properties/x/type: "type" beside "$ref" has no single meaning; wrap the reference in "allOf""##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {}}, "required": ["x", "y"]}"#,
        &[
            r##"definition "T" at #/$defs/T/required/1: requires "y", which no "properties" of this object declares"##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {}}, "required": ["x", "x"]}"#,
        &[
            r##"definition "T" at #/$defs/T/required: wrong value for "required": expected a list of distinct strings, found a list that does not fit"##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "string"}, "x": {"type": "integer"}}}"#,
        &[
            r##"definition "T" at #/$defs/T/properties/x: duplicate key; keep one of the two, a reader would drop the other silently"##,
        ],
    ),
    (
        r#""T": {"type": "object", "x-method": "session/new"}"#,
        &[r##"definition "T" at #/$defs/T/x-method: "x-method" needs "x-side", which says who handles it"##],
    ),
    (
        r#""T": {"type": "object", "x-side": "agent"}"#,
        &[r##"definition "T" at #/$defs/T/x-side: "x-side" needs "x-method", the method it is the side of"##],
    ),
    (
        r#""T": {"type": "object", "x-side": "server", "x-method": "m"}"#,
        &[
            r##"definition "T" at #/$defs/T/x-side: wrong value for "x-side": expected one of agent, client, both, protocol, proxy, found "server""##,
        ],
    ),
    (
        r#""T": {"type": "text"}"#,
        &[
            r##"definition "T" at #/$defs/T/type: wrong value for "type": expected one of string, integer, number, boolean, object, array, null, or a list of one of them and "null", found "text""##,
        ],
    ),
    (
        r#""T": {"type": "integer", "format": "int128"}"#,
        &[
            r##"definition "T" at #/$defs/T/format: wrong value for "format": expected one of int32, int64, uint16, uint32, uint64, double, uri, date-time, regex, found "int128""##,
        ],
    ),
    (
        r#""T": {"type": "string", "format": "int64"}"#,
        &[r##"definition "T" at #/$defs/T/format: format "int64" needs "type" "integer" beside it"##],
    ),
    (
        r#""T": {"type": "string", "minimum": 0}"#,
        &[r##"definition "T" at #/$defs/T/minimum: "minimum" needs "type" "integer" or "number" beside it"##],
    ),
    (
        r#""T": {"type": "string", "minLength": -1}"#,
        &[
            r##"definition "T" at #/$defs/T/minLength: wrong value for "minLength": expected a non-negative integer, found -1"##,
        ],
    ),
    (
        r#""T": {"type": "object", "additionalProperties": false}"#,
        &[
            r##"definition "T" at #/$defs/T/additionalProperties: wrong value for "additionalProperties": expected true or a schema object, found false; leave it out: readers pass over members that they do not know"##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": true}}"#,
        &[r##"definition "T" at #/$defs/T/properties/x: expected a schema object, found true"##],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "array"}}}"#,
        &[
            r##"definition "T" at #/$defs/T/properties/x/type: a list needs "items", which says what it holds"##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "boolean", "default": "no"}}}"#,
        &[r##"definition "T" at #/$defs/T/properties/x/default: "no" is not of "type" "boolean""##],
    ),
    (
        r##""T": {"type": "object", "properties": {"x": {"allOf": [{"$ref": "#/$defs/Id"}], "default": 1}}}"##,
        &[r##"definition "T" at #/$defs/T/properties/x/default: 1 is not of "type" "string""##],
    ),
    (
        r##""T": {"allOf": [{"$ref": "#/$defs/Id"}, {"$ref": "#/$defs/Id"}]}"##,
        &[
            r##"definition "T" at #/$defs/T/allOf: wrong value for "allOf": expected a list of exactly one schema object, found a list that does not fit"##,
        ],
    ),
    (
        r##""T": {"allOf": [{"$ref": "#/$defs/U"}]}, "U": {"allOf": [{"$ref": "#/$defs/T"}]}"##,
        &[
            r##"definition "T" at #/$defs/T/allOf: stands for "U", which stands for "T" in a circle"##,
            r##"definition "U" at #/$defs/U/allOf: stands for "T", which stands for "U" in a circle"##,
        ],
    ),
    (
        r#""T": {"type": "integer", "minimum": 2, "maximum": 1}"#,
        &[r##"definition "T" at #/$defs/T/maximum: the maximum 1 lies below the minimum 2"##],
    ),
    (
        r#""T": {"oneOf": [{"type": "string", "const": 1}]}"#,
        &[r##"definition "T" at #/$defs/T/oneOf/0/const: 1 is not of "type" "string""##],
    ),
    (
        r#""T": {"oneOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "a"}]}"#,
        &[r##"definition "T" at #/$defs/T/oneOf/1: a second arm for the constant "a""##],
    ),
    (
        r##""T": {"oneOf": [{"allOf": [{"$ref": "#/$defs/Id"}]}], "discriminator": {"propertyName": "type"}}"##,
        &[
            r##"definition "T" at #/$defs/T/oneOf/0: the arm does not require "type" with a "const", as the discriminator asks"##,
        ],
    ),
    (
        r#""T": {"anyOf": [{"type": "string", "not": {}}]}"#,
        &[
            r##"definition "T" at #/$defs/T/anyOf/0/not: "not" needs "anyOf", the tags that the fallback arm leaves to the others"##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "string", "x-deserialize-default-on-error": "yes"}}}"#,
        &[
            r##"definition "T" at #/$defs/T/properties/x/x-deserialize-default-on-error: wrong value for "x-deserialize-default-on-error": expected true or false, found "yes""##,
        ],
    ),
    (
        r#""T": {"type": "object", "properties": {"x": {"type": "string", "x-deserialize-skip-invalid-items": true}}}"#,
        &[
            r##"definition "T" at #/$defs/T/properties/x/x-deserialize-skip-invalid-items: "x-deserialize-skip-invalid-items" needs "type" "array" beside it"##,
        ],
    ),
    (
        r#""T": {"title": "Two\nlines", "type": "string"}"#,
        &[
            r##"definition "T" at #/$defs/T/title: wrong value for "title": expected a name on one line of at most 60 characters, found longer text"##,
        ],
    ),
    (
        r#""a/b": {"type": "string"}"#,
        &[
            r##"definition "a/b" at #/$defs/a~1b: a definition name starts with a capital letter and holds ASCII letters and digits only, because it names a Rust type"##,
        ],
    ),
    // All problems of a file come together.
    (
        r#""T": {"type": "object", "maxItems": 1, "properties": {"x": {"pattern": "a"}}, "required": ["x"]}, "U": {"if": {}}, "V": 1"#,
        &[
            r##"definition "T" at #/$defs/T/maxItems: unknown keyword "maxItems"; …"##,
            r##"definition "T" at #/$defs/T/properties/x/pattern: unknown keyword "pattern"; …"##,
            r##"definition "U" at #/$defs/U/if: unknown keyword "if"; …"##,
            r##"definition "V" at #/$defs/V: expected a schema object, found 1"##,
        ],
    ),
];

/// Whole files, and the one problem each must give.
const FILES: &[(&[u8], &str)] = &[
    (b"", "not JSON: EOF while parsing a value at line 1 column 0"),
    (b"{\"$defs\": {}, }", "not JSON: trailing comma at line 1 column 15"),
    (b"{\"$defs\": {}} {}", "not JSON: trailing characters at line 1 column 15"),
    (b"{\"title\": \"\xff\"}", "not UTF-8 text (first bad byte at offset 11)"),
    (b"[]", "the document is not a JSON object"),
    (b"{\"title\": \"T\"}", "no definitions under \"$defs\"; is this the schema file?"),
    (b"{\"$defs\": {}}", "no definitions under \"$defs\"; is this the schema file?"),
    (
        b"{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"$defs\": {\"T\": {}}}",
        "at #/$schema: wrong value for \"$schema\": expected the dialect \"https://json-schema.org/draft/2020-12/schema\", found \"http://json-schema.org/draft-07/schema#\"",
    ),
    (
        b"{\"definitions\": {}, \"$defs\": {\"T\": {}}}",
        "at #/definitions: unknown keyword \"definitions\"; …",
    ),
    (
        b"{\"anyOf\": [{\"allOf\": [{\"$ref\": \"#/$defs/U\"}]}], \"$defs\": {\"T\": {}}}",
        "at #/anyOf/0/allOf/0/$ref: refers to \"U\", which is not defined in this file",
    ),
];

/// The advice for a keyword that is unknown, or unknown at its place.
fn with_advice(problem: &str) -> String {
    let instead = if problem.contains("\"enum\"") {
        r#"name the type under "$defs" and write "oneOf": [{ "type": "string", "const": "a" }]"#
    } else if problem.contains("keyword \"properties\"") {
        r##"give the type a name under "$defs", and refer to it with "$ref""##
    } else {
        "leave it out"
    };
    let place = "docs/SCHEMAS.md lists the keywords; xtask/src/schema/keywords.rs is their place";
    problem.replace('…', &format!("{instead} ({place})"))
}

fn update(root: &Path, source: &[&str]) -> Result<(), String> {
    let args: Vec<String> = ["update"].iter().chain(source).map(ToString::to_string).collect();
    run_in(root, &args, &mut Vec::new()).map_err(|error| format!("{error:#}"))
}

fn check(bytes: &[u8], problems: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (root, path) = (folder.path().join("workspace"), folder.path().join("schema.json"));
    fs::create_dir(&root).unwrap();
    fs::write(&path, bytes).unwrap();
    let error = update(&root, &["--file", path.to_str().unwrap()]).unwrap_err();
    let mut expected = format!("schema refused, nothing was written; {} problem(s):", problems.len());
    for problem in problems {
        expected += &format!("\nv1/schema.json: {}", with_advice(problem));
    }
    assert_eq!(error, expected);
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "something was written");
}

#[test]
fn a_definition_outside_the_allow_list_is_refused() {
    for (definition, problems) in DEFINITIONS {
        let schema = format!(r#"{{"$defs": {{"Id": {{"type": "string"}}, {definition}}}}}"#);
        check(schema.as_bytes(), problems);
    }
}

#[test]
fn a_file_that_is_no_schema_is_refused() {
    for (bytes, problem) in FILES {
        check(bytes, &[problem]);
    }
}

/// A property may stand beside the union that requires it, or the other way round.
#[test]
fn a_required_property_may_be_declared_in_another_part_of_the_same_object() {
    let schema = r##"{"$defs": {
        "Scope": {"type": "object", "properties": {"scope": {"type": "string"}}},
        "Above": {"type": "object", "properties": {"name": {"type": "string"}},
            "anyOf": [{"type": "object", "required": ["name"]}]},
        "Below": {"type": "object", "required": ["scope", "tag"],
            "oneOf": [{"type": "object", "properties": {"tag": {"type": "string", "const": "a"}}, "required": ["tag"],
                "allOf": [{"$ref": "#/$defs/Scope"}]}]}
    }}"##;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("schema.json");
    fs::write(&path, schema).unwrap();
    update(folder.path(), &["--file", path.to_str().unwrap()]).unwrap();
}

#[test]
fn a_bad_file_refuses_the_whole_delivery_and_leaves_the_last_import_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (root, delivery) = (folder.path().join("workspace"), folder.path().join("delivery"));
    fs::create_dir_all(delivery.join("v1")).unwrap();
    fs::create_dir_all(delivery.join("v2")).unwrap();
    let source = ["--dir", delivery.to_str().unwrap()];
    let good = r#"{"$defs": {"Id": {"type": "string"}}}"#;
    fs::write(delivery.join("v1/schema.json"), good).unwrap();
    fs::write(delivery.join("v2/schema.json"), good).unwrap();
    update(&root, &source).unwrap();
    let files =
        ["v1/schema.json", "v2/schema.json", "UPSTREAM.toml"].map(|path| root.join("schema").join(path));
    let before = files.each_ref().map(|path| fs::read_to_string(path).unwrap());

    fs::write(delivery.join("v1/schema.json"), r#"{"$defs": {"Other": {"type": "string"}}}"#).unwrap();
    fs::write(delivery.join("v2/schema.json"), r#"{"$defs": {"Id": {"type": "id"}}}"#).unwrap();
    fs::write(delivery.join("v2/schema.unstable.json"), "nonsense").unwrap();
    let error = update(&root, &source).unwrap_err();
    assert!(error.contains("2 problem(s)"), "{error}");
    assert!(error.contains("v2/schema.json: definition \"Id\" at #/$defs/Id/type: "), "{error}");
    assert!(error.contains("v2/schema.unstable.json: not JSON: "), "{error}");
    assert_eq!(files.map(|path| fs::read_to_string(path).unwrap()), before);
}

#[test]
fn an_earlier_release_points_to_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (root, path) = (folder.path().join("workspace"), folder.path().join("schema.json"));
    fs::create_dir(&root).unwrap();
    let import = |text: &str, release: &str| {
        fs::write(&path, text).unwrap();
        let mut printed = Vec::new();
        let args = ["update", "--file", path.to_str().unwrap(), "--release", release].map(str::to_owned);
        let result = run_in(&root, &args, &mut printed).map_err(|error| format!("{error:#}"));
        result.map(|()| String::from_utf8(printed).unwrap())
    };
    let (good, bad) = (r#"{"$defs": {"Id": {"type": "string"}}}"#, r#"{"$defs": {"Id": {"enum": ["a"]}}}"#);
    assert!(!import(good, "2.10.0").unwrap().contains("replay"));
    for (schema, release, hint) in [
        (bad, "2.9.3", true),
        (bad, "2.10.0-rc.1", false),
        (bad, "2.11.0", false),
        (bad, "nightly", false),
        (good, "2.10.0", false),
        (good, "0.8.0", true),
    ] {
        let said = import(schema, release).unwrap_or_else(|error| error);
        assert_eq!(said.contains("`cargo xtask schema replay` imports"), hint, "{release}: {said}");
        assert_eq!(said.contains("is earlier than 2.10.0"), hint, "{release}: {said}");
    }
}
