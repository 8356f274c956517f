//! Types of v1 whose JSON is that of v2: what a change of a schema does to them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xtask::codegen::alike::{Alike, find};
use xtask::codegen::ir::Schema;
use xtask::codegen::overlay::Overlay;
use xtask::codegen::version::VERSIONS;
use xtask::codegen::{lower, merge};
use xtask::schema::SchemaFile;

/// A change of a schema.
type Edit = fn(&mut Value);

/// A change of the schemas of v2, with the type whose marks it changes, and the marks after it:
/// written, read.
const CHANGES: &[(&str, Edit, &str, [bool; 2])] = &[
    ("nothing", |_| {}, "Cost", [true, true]),
    ("a member has another name", |defs| rename(defs, "Cost", "currency"), "Cost", [false, false]),
    ("a part of a part changes", |defs| rename(defs, "Cost", "currency"), "UsageUpdate", [false, false]),
    (
        "a member may be left out",
        |defs| {
            defs["Cost"]["required"] = json!(["amount"]);
            defs["Cost"]["properties"]["currency"] = json!({"type": ["string", "null"]});
        },
        "Cost",
        // The writer never leaves it out, the reader would refuse.
        [true, false],
    ),
    (
        "a member is new",
        |defs| defs["Cost"]["properties"]["tax"] = json!({"type": ["number", "null"], "format": "double"}),
        "Cost",
        [true, false],
    ),
    (
        "a new member must be there",
        |defs| {
            defs["Cost"]["properties"]["tax"] = json!({"type": "number", "format": "double"});
            defs["Cost"]["required"] = json!(["amount", "currency", "tax"]);
        },
        "Cost",
        [false, false],
    ),
    (
        "a member is gone",
        |defs| {
            defs["SessionConfigSelectOption"]["properties"].as_object_mut().unwrap().remove("description");
        },
        "SessionConfigSelectOption",
        [false, false],
    ),
    (
        "a number is limited",
        |defs| defs["Cost"]["properties"]["amount"]["minimum"] = json!(0),
        "Cost",
        [false, false],
    ),
    (
        "an enum loses a value",
        |defs| {
            defs["Role"]["anyOf"].as_array_mut().unwrap().remove(0);
        },
        "Role",
        [false, true],
    ),
    (
        "an enum gets a value",
        |defs| {
            let values = defs["Role"]["anyOf"].as_array_mut().unwrap();
            values.insert(0, json!({"type": "string", "const": "tool"}));
        },
        "Role",
        [true, false],
    ),
];

fn rename(defs: &mut Value, definition: &str, member: &str) {
    let text = defs[definition].to_string().replace(&format!("\"{member}\""), "\"renamed\"");
    defs[definition] = serde_json::from_str(&text).unwrap();
}

#[test]
fn a_mark_vanishes_when_the_schemas_part() {
    for (what, change, name, expected) in CHANGES {
        let alike = alike(*change, &overlay("v2"));
        let found = alike.iter().find(|alike| alike.name == *name);
        assert_eq!(
            found.map_or([false; 2], |found| [found.written, found.read]),
            *expected,
            "{name}: {what}"
        );
    }
}

#[test]
fn a_meaning_makes_the_difference() {
    let alike = alike(|_| {}, &overlay("v2"));
    let names: Vec<&str> = alike.iter().map(|alike| alike.name.as_str()).collect();
    for (name, is_alike) in [
        // In `[counterparts]`.
        ("AuthenticateRequest", true),
        // In `[meaning]`.
        ("Terminal", false),
        // In v2 `null` clears a member.
        ("ToolCallUpdate", false),
        // A link of v2 has no negative size.
        ("ContentBlock", false),
    ] {
        assert_eq!(names.contains(&name), is_alike, "{name}");
    }
}

#[test]
fn an_entry_that_makes_no_difference_is_refused() {
    for (text, expected) in [
        ("[meaning]\ntypes = [\"ToolCall\"]", "[meaning]: ToolCall differs by its structure"),
        ("[counterparts]\nGone = \"Cost\"", "[counterparts]: there is no earlier type Gone"),
        ("[counterparts]\nCost = \"Gone\"", "[counterparts]: there is no later type Gone"),
    ] {
        let [first, second] = schemas(|_| {});
        let refused = find(&first, &second, &Overlay::parse(text).unwrap()).unwrap_err().to_string();
        assert!(refused.starts_with(expected), "{refused}");
    }
}

/// Returns what is alike after a change of both schemas of v2.
fn alike(change: fn(&mut Value), overlay: &Overlay) -> Vec<Alike> {
    let [first, second] = schemas(change);
    find(&first, &second, overlay).unwrap()
}

fn schemas(change: fn(&mut Value)) -> [Schema; 2] {
    let [stable, unstable] = VERSIONS[0].files();
    let first = read("v1", stable, unstable, |_| {});
    let [stable, unstable] = VERSIONS[1].files();
    [first, read("v2", stable, unstable, change)]
}

fn read(version: &str, stable: SchemaFile, unstable: SchemaFile, change: fn(&mut Value)) -> Schema {
    let overlay = overlay(version);
    let [stable, unstable] = [stable, unstable].map(|file| {
        let mut schema: Value =
            serde_json::from_str(&fs::read_to_string(file.in_workspace(root())).unwrap()).unwrap();
        change(&mut schema["$defs"]);
        lower::lower(&schema, &overlay).unwrap()
    });
    merge::merge(&stable, unstable).unwrap()
}

fn overlay(version: &str) -> Overlay {
    Overlay::load(&root().join(format!("schema/overlay/{version}.toml"))).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
