//! The report on two releases of a schema: what is a change, how it is judged, and where it is
//! written.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::changes::{Api, Change, Side, Stability, Verb, Wire, between};
use xtask::releases::run_in;

/// A request with its answer, a union with a tag, two enums, and an object to change.
fn release() -> Value {
    json!({"$defs": {
        "OpenRequest": {
            "type": "object", "x-method": "thing/open", "x-side": "agent", "required": ["path"],
            "properties": {"path": {"type": "string"}, "kind": {"$ref": "#/$defs/Kind"}}
        },
        "OpenResponse": {"type": "object", "x-method": "thing/open", "x-side": "agent", "properties": {
            "note": {"type": ["string", "null"]},
            "count": {"type": ["integer", "null"], "format": "uint32"}
        }},
        "Thing": {"type": "object", "required": ["id", "size"], "properties": {
            "id": {"type": "string"},
            "size": {"type": "integer", "format": "uint32"},
            "parts": {"type": "array", "items": {"type": "string"}},
            "title": {"type": ["string", "null"]},
            "flag": {"type": "boolean", "default": false}
        }},
        "Kind": {"anyOf": [
            {"type": "string", "const": "small"}, {"type": "string", "const": "large"}, {"type": "string"}
        ]},
        "State": {"oneOf": [{"type": "string", "const": "on"}, {"type": "string", "const": "off"}]},
        "Event": {"oneOf": [
            {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "const": "thing"}},
             "allOf": [{"$ref": "#/$defs/Thing"}]},
            {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "const": "end"}}}
        ]},
        "AgentRequest": {"x-docs-ignore": true, "anyOf": [{"$ref": "#/$defs/OpenRequest"}]},
        "AgentResponse": {"x-docs-ignore": true, "anyOf": [{"$ref": "#/$defs/OpenResponse"}]}
    }})
}

const OVERLAY: &str = "[defaults]\nKind = \"small\"\n";

/// A folder with the files of a release.
fn folder(stable: &Value, unstable: Option<&Value>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "v1/schema.json", &stable.to_string());
    if let Some(unstable) = unstable {
        write(folder.path(), "v1/schema.unstable.json", &unstable.to_string());
    }
    write(folder.path(), "overlay/v1.toml", OVERLAY);
    folder
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn side(stable: &Value, unstable: Option<&Value>) -> Side {
    let nowhere = tempfile::tempdir().unwrap();
    Side::of_folder(folder(stable, unstable).path(), nowhere.path()).unwrap()
}

fn changes(old: &Side, new: &Side) -> Vec<Change> {
    let mut versions = between(old, new).unwrap();
    assert_eq!(versions.len(), 1);
    let version = versions.remove(0);
    assert!(version.not_compared.is_empty(), "{:?}", version.not_compared);
    version.changes
}

fn line(change: &Change) -> String {
    format!("{:?} {} | {:?} {:?}", change.verb, change.name, change.wire, change.api)
}

#[test]
fn each_change_is_judged_for_the_wire_and_for_the_types() {
    // What is edited, and what the report must say.
    type Edit = fn(&mut Value);
    let cases: &[(Edit, &[&str])] = &[
        (
            |s| s["Thing"]["properties"]["extra"] = json!({"type": ["string", "null"]}),
            &[
                // The same shape went nowhere: no guess.
                "Added Thing.extra | Compatible Minor",
            ],
        ),
        (
            |s| {
                s["Thing"]["properties"]["extra"] = json!({"type": "string"});
                s["Thing"]["required"] = json!(["id", "size", "extra"]);
            },
            &["Added Thing.extra | Breaking Major"],
        ),
        (|s| drop_key(&mut s["Thing"]["properties"], "title"), &["Removed Thing.title | Compatible Major"]),
        (
            |s| {
                drop_key(&mut s["Thing"]["properties"], "size");
                s["Thing"]["required"] = json!(["id"]);
            },
            &["Removed Thing.size | Breaking Major"],
        ),
        (
            |s| s["Thing"]["properties"]["size"] = json!({"type": "integer", "format": "uint64"}),
            &["Changed Thing.size | Breaking Major"],
        ),
        (
            |s| {
                s["Id"] = json!({"type": "string"});
                s["Thing"]["properties"]["id"] = json!({"$ref": "#/$defs/Id"});
            },
            // A name for what was a string: no change on the wire.
            &["Added Id | Compatible Minor", "Changed Thing.id | Compatible Major"],
        ),
        (
            |s| s["OpenRequest"]["properties"]["path"] = json!({"type": ["string", "null"]}),
            &["Changed OpenRequest.path | Breaking Major"],
        ),
        (
            |s| s["Thing"]["properties"]["flag"] = json!({"type": ["boolean", "null"]}),
            &["Changed Thing.flag | Breaking Major"],
        ),
        (
            |s| s["Thing"]["properties"]["parts"]["x-deserialize-skip-invalid-items"] = json!(true),
            &["Changed Thing.parts | Compatible Patch"],
        ),
        (
            |s| s["Thing"]["properties"]["flag"]["x-deserialize-default-on-error"] = json!(true),
            &["Changed Thing.flag | Compatible Patch"],
        ),
        (
            |s| push(&mut s["Kind"]["anyOf"], json!({"type": "string", "const": "huge"})),
            &["Added Kind::huge | Compatible Minor"],
        ),
        (
            |s| push(&mut s["State"]["oneOf"], json!({"type": "string", "const": "maybe"})),
            &["Added State::maybe | Breaking Minor"],
        ),
        (|s| drop_item(&mut s["Event"]["oneOf"], 1), &["Removed Event::end | Breaking Major"]),
        (
            |s| s["Thing"]["properties"]["title"] = json!({"type": ["number", "null"], "format": "double"}),
            &["Changed Thing | Compatible Major", "Changed Thing.title | Breaking Major"],
        ),
    ];
    let old = release();
    for (edit, expected) in cases {
        let mut new = old.clone();
        edit(&mut new["$defs"]);
        let found: Vec<String> = changes(&side(&old, None), &side(&new, None)).iter().map(line).collect();
        assert_eq!(found, *expected);
        // The way back is a change as well.
        assert!(!changes(&side(&new, None), &side(&old, None)).is_empty(), "{expected:?}");
    }
}

#[test]
fn wording_wrappers_and_the_order_of_members_are_no_changes() {
    let old = release();
    let mut new = old.clone();
    let definitions = &mut new["$defs"];
    definitions["Thing"]["description"] = json!("other words");
    definitions["OpenRequest"]["properties"] = json!({"kind": {"allOf": [{"$ref": "#/$defs/Kind"}]}, "path": {"type": "string", "description": "words"}});
    let thing = definitions["Thing"].take();
    drop_key(definitions, "Thing");
    definitions["Thing"] = thing;
    assert_eq!(changes(&side(&old, None), &side(&new, None)), []);
}

#[test]
fn what_becomes_stable_is_promoted_and_what_is_unstable_is_reported_apart() {
    let stable = release();
    let mut unstable = stable.clone();
    let added = json!({"type": "object", "properties": {"one": {"type": ["string", "null"]}}});
    unstable["$defs"]["Draft"] = added;
    unstable["$defs"]["Thing"]["properties"]["draft"] = json!({"type": ["boolean", "null"]});
    let before = side(&stable, Some(&unstable));

    let mut more = unstable.clone();
    push(&mut more["$defs"]["Kind"]["anyOf"], json!({"type": "string", "const": "draft"}));
    let found = changes(&before, &side(&stable, Some(&more)));
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), ["Added Kind::draft | Compatible Minor"]);
    assert_eq!(found[0].stability, Stability::Unstable);

    let found = changes(&before, &side(&unstable, Some(&unstable)));
    let found: Vec<_> = found.iter().map(|change| (change.stability, line(change))).collect();
    assert_eq!(
        found,
        [
            (Stability::Stable, "Promoted Draft | Compatible Minor".to_owned()),
            (Stability::Stable, "Promoted Thing.draft | Compatible Minor".to_owned()),
        ]
    );
    let back = changes(&side(&unstable, Some(&unstable)), &before);
    assert!(back.iter().all(|change| (change.verb, change.api) == (Verb::Demoted, Api::Major)), "{back:?}");
}

#[test]
fn renames_are_guessed_where_only_one_pair_has_the_shape() {
    let old = release();
    let mut new = old.clone();
    let thing = new["$defs"]["Thing"].take();
    drop_key(&mut new["$defs"], "Thing");
    new["$defs"]["Item"] = thing;
    new["$defs"]["Event"]["oneOf"][0]["allOf"] = json!([{"$ref": "#/$defs/Item"}]);
    drop_key(&mut new["$defs"]["OpenResponse"]["properties"], "count");
    new["$defs"]["OpenResponse"]["properties"]["total"] =
        json!({"type": ["integer", "null"], "format": "uint32"});
    let found = changes(&side(&old, None), &side(&new, None));
    assert_eq!(
        found.iter().map(|change| (line(change), change.detail.as_str())).collect::<Vec<_>>(),
        [
            ("Renamed Item | Compatible Major".to_owned(), "was `Thing`"),
            ("Renamed OpenResponse.total | Breaking Major".to_owned(), "was `count`"),
        ]
    );

    // Two of the same shape came: which of them it is cannot be said.
    new["$defs"]["Other"] = new["$defs"]["Item"].clone();
    let found = changes(&side(&old, None), &side(&new, None));
    assert!(!found.iter().any(|change| change.name == "Item" && change.verb == Verb::Renamed), "{found:?}");
    assert!(found.iter().any(|change| (change.verb, change.wire) == (Verb::Removed, Wire::Breaking)));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_compared() {
    let old = release();
    let mut new = old.clone();
    new["$defs"]["Thing"]["properties"]["size"] = json!({"type": "integer", "format": "uint128"});
    push(&mut new["$defs"]["Kind"]["anyOf"], json!({"type": "string", "const": "huge"}));
    let versions = between(&side(&old, None), &side(&new, None)).unwrap();
    assert_eq!(
        versions[0].changes.iter().map(line).collect::<Vec<_>>(),
        ["Added Kind::huge | Compatible Minor"]
    );
    assert_eq!(versions[0].not_compared.len(), 1);
    assert_eq!(versions[0].not_compared[0].pointer, "#/$defs/Thing/properties/size");
}

#[test]
fn an_update_writes_the_report_and_an_update_to_the_same_keeps_it() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    write(root, "schema/overlay/v1.toml", OVERLAY);
    let report = root.join("schema/CHANGES.md");
    let update = |schema: &Value, release: &str| {
        let delivery = folder(schema, None);
        let args = ["update", "--dir", delivery.path().to_str().unwrap(), "--release", release];
        let mut out = Vec::new();
        run_in(root, &args.map(str::to_owned), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let mut new = release();
    update(&new, "1");
    assert!(!report.exists());

    new["$defs"]["Thing"]["properties"]["extra"] = json!({"type": ["string", "null"]});
    let out = update(&new, "2");
    let text = fs::read_to_string(&report).unwrap();
    assert!(out.ends_with(&format!("{text}\n")), "{out}");
    assert!(text.contains("From release 1 to release 2."), "{text}");
    assert!(text.contains("| v1 | stable | 1 | 0 | 0 | 0 | 0 | 0 | compatible | minor |"), "{text}");
    let row = "| added | `Thing.extra` | `String`, optional, may be `null` | compatible | minor |";
    assert!(text.contains(row), "{text}");

    update(&new, "2");
    assert_eq!(fs::read_to_string(&report).unwrap(), text);
}

#[test]
fn the_older_side_may_be_a_revision_of_git() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
        let output =
            std::process::Command::new("git").args(identity).args(args).current_dir(root).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let old = release();
    write(root, "schema/v1/schema.json", &old.to_string());
    write(root, "schema/overlay/v1.toml", OVERLAY);
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "old"]);
    let mut new = old;
    push(&mut new["$defs"]["Kind"]["anyOf"], json!({"type": "string", "const": "huge"}));
    write(root, "schema/v1/schema.json", &new.to_string());

    let diff = |args: &[&str]| {
        let args: Vec<String> = ["diff"].iter().chain(args).map(|arg| (*arg).to_owned()).collect();
        let mut out = Vec::new();
        run_in(root, &args, &mut out).map(|()| String::from_utf8(out).unwrap())
    };
    let text = diff(&[]).unwrap();
    assert!(text.contains("| added | `Kind::huge` | `Huge` in Rust | compatible | minor |"), "{text}");
    assert_eq!(diff(&["HEAD"]).unwrap(), text);
    let error = diff(&["no-such-revision"]).unwrap_err().to_string();
    assert_eq!(error, "git does not know the revision \"no-such-revision\"");
}

fn drop_key(object: &mut Value, key: &str) {
    object.as_object_mut().unwrap().shift_remove(key);
}

fn push(list: &mut Value, item: Value) {
    list.as_array_mut().unwrap().push(item);
}

fn drop_item(list: &mut Value, index: usize) {
    list.as_array_mut().unwrap().remove(index);
}
