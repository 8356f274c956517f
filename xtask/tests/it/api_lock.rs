//! `schema/api.lock`: the order of constructor arguments outlives changes of the schema.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xtask::codegen::{self, api_lock};
use xtask::output::Mode;
use xtask::releases::run_in;

const OVERLAY: &str = "[flattened]\nMove = { type = \"MoveKind\", field = \"kind\" }\n";

fn schema() -> Value {
    let kind = |tag: &str| json!({"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "const": tag}}});
    json!({"$defs": {"Move": {
        "type": "object", "required": ["from", "to"],
        "properties": {"from": {"type": "string"}, "to": {"type": "string"}, "note": {"type": ["string", "null"]}},
        "oneOf": [kind("copy"), kind("link")]
    }}})
}

/// Imports and generates; the constructor and the lock.
fn generate(root: &Path, schema: &Value) -> (String, String) {
    let file = root.join("delivery.json");
    fs::write(&file, schema.to_string()).unwrap();
    let args = ["update", "--file", file.to_str().unwrap(), "--release", "test"].map(str::to_owned);
    run_in(root, &args, &mut Vec::new()).unwrap();
    codegen::generate(root, Mode::Write).unwrap();
    codegen::generate(root, Mode::Check).unwrap();
    let code = fs::read_to_string(root.join("crates/acp-types/src/v1/generated/unsorted.rs")).unwrap();
    let code = code.split_once("impl Move {").unwrap().1;
    let after = code.split_once("pub fn new(").unwrap().1;
    let arguments = after.split_once(") -> Self").unwrap().0;
    let arguments =
        arguments.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(',').to_owned();
    (arguments, fs::read_to_string(root.join(api_lock::PATH)).unwrap())
}

#[test]
fn what_changes_places_upstream_keeps_its_place_in_the_constructor() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    fs::create_dir_all(root.join("schema/overlay")).unwrap();
    fs::create_dir_all(root.join("schema/docs/v1")).unwrap();
    fs::write(root.join("schema/overlay/v1.toml"), OVERLAY).unwrap();
    let (arguments, lock) = generate(root, &schema());
    assert_eq!(arguments, "from: impl Into<String>, to: impl Into<String>, kind: impl Into<MoveKind>");
    assert!(lock.contains("struct Move\n    new(from: String, to: String, kind: MoveKind)\n"), "{lock}");

    let mut swapped = schema();
    swapped["$defs"]["Move"]["properties"] = json!({
        "to": {"type": "string"}, "from": {"type": "string"}, "note": {"type": ["string", "null"]}
    });
    assert_eq!(generate(root, &swapped), (arguments, lock.clone()));

    // What is new comes last, and what need not be there any more goes.
    swapped["$defs"]["Move"]["properties"]["first"] = json!({"type": "boolean"});
    swapped["$defs"]["Move"]["properties"]["from"] = json!({"type": ["string", "null"]});
    swapped["$defs"]["Move"]["required"] = json!(["first", "to"]);
    let (arguments, after) = generate(root, &swapped);
    assert_eq!(arguments, "to: impl Into<String>, kind: impl Into<MoveKind>, first: bool");
    assert_eq!(api_lock::changed(&lock, &after), ["changed v1 Move"]);

    // Without a lock the schema's order counts.
    fs::remove_file(root.join(api_lock::PATH)).unwrap();
    let (arguments, _) = generate(root, &swapped);
    assert_eq!(arguments, "to: impl Into<String>, first: bool, kind: impl Into<MoveKind>");
}

#[test]
fn the_lock_of_this_repository_names_types_and_markers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let lock = fs::read_to_string(root.join(api_lock::PATH)).unwrap();
    assert_eq!(api_lock::changed(&lock, &lock), [""; 0]);
    let arguments = api_lock::arguments(&lock, "v1");
    assert_eq!(arguments["PromptRequest"], ["session_id", "prompt"]);
    assert!(lock.contains(
        "method methods::SessionPrompt: \"session/prompt\" to agent, PromptRequest -> PromptResponse"
    ));
}
