//! New methods of the protocol: each takes a row of the overlay and no hand-written code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::output::Mode;
use xtask::{codegen, releases};

/// The crates that neither an agent nor a client is made of.
const OTHERS: [&str; 4] = ["acp-cli", "acp-inspect", "acp-testkit", "acp-ui-tests"];
/// Files and folders that the generator writes.
const WRITTEN: [&str; 2] = ["generated", "macro.md"];

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/new_methods");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn write(path: &Path, text: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path, left_out: &[&str]) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if left_out.iter().any(|left_out| name == *left_out) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name), left_out);
        } else {
            write(&to.join(name), &fs::read(&path).unwrap());
        }
    }
}

/// Makes a folder equal to another one. Files that are equal already are left alone, so that they
/// are not compiled again.
fn mirror(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(to).unwrap() {
        let path = entry.unwrap().path();
        let source = from.join(path.file_name().unwrap());
        if path.is_dir() && !source.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else if path.is_file() && !source.is_file() {
            fs::remove_file(&path).unwrap();
        }
    }
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            mirror(&path, &target);
        } else if !target.exists() || fs::read(&path).unwrap() != fs::read(&target).unwrap() {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Writes these lines below those headings.
fn insert(file: &Path, lines: &[(&str, &str)]) {
    let text = fs::read_to_string(file).unwrap();
    let text = lines.iter().fold(text, |text, (heading, lines)| {
        assert!(text.contains(heading), "{}: no {heading}", file.display());
        text.replacen(heading, &format!("{heading}{lines}"), 1)
    });
    fs::write(file, text).unwrap();
}

/// The release as it would come, with methods that nobody knows yet, in the folder `to`.
fn next_release(schemas: &Path, to: &Path) {
    let definitions: Value = serde_json::from_str(&example("definitions.json")).unwrap();
    let capability = json!({ "anyOf": [{ "$ref": "#/$defs/SessionReviewCapabilities" }, { "type": "null" }],
        "x-deserialize-default-on-error": true });
    for name in ["schema.json", "schema.unstable.json"] {
        let mut schema: Value =
            serde_json::from_slice(&fs::read(schemas.join("v1").join(name)).unwrap()).unwrap();
        let known = schema["$defs"].as_object_mut().unwrap();
        known["SessionCapabilities"]["properties"]["review"] = capability.clone();
        known["ClientCapabilities"]["properties"]["reveal"] =
            json!({ "type": "boolean", "default": false, "x-deserialize-default-on-error": true });
        for (name, definition) in definitions.as_object().unwrap() {
            known.insert(name.clone(), definition.clone());
            let Some(side) = definition["x-side"].as_str() else { continue };
            let carrier = ["Request", "Response", "Notification"].into_iter().find(|end| name.ends_with(end));
            let (carrier, sender) = match (carrier.unwrap(), side) {
                ("Response", "agent") => ("AgentResponse", "/anyOf/0/properties/result/anyOf"),
                ("Response", _) => ("ClientResponse", "/anyOf/0/properties/result/anyOf"),
                ("Request", "agent") => ("ClientRequest", "/properties/params/anyOf/0/anyOf"),
                ("Request", _) => ("AgentRequest", "/properties/params/anyOf/0/anyOf"),
                (_, "agent") => ("ClientNotification", "/properties/params/anyOf/0/anyOf"),
                (_, _) => ("AgentNotification", "/properties/params/anyOf/0/anyOf"),
            };
            let arms = known[carrier].pointer_mut(sender).unwrap().as_array_mut().unwrap();
            arms.push(json!({ "title": name, "allOf": [{ "$ref": format!("#/$defs/{name}") }] }));
        }
        write(&to.join("v1").join(name), serde_json::to_string_pretty(&schema).unwrap().as_bytes());
        write(&to.join("v2").join(name), &fs::read(schemas.join("v2").join(name)).unwrap());
    }
}

/// Everything that is generated once the release is there, and a row for each of its methods.
fn generated(root: &Path) -> TempDir {
    let (release, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = workspace.path();
    next_release(&root.join("schema"), release.path());
    for folder in ["docs", "overlay"] {
        copy(&root.join("schema").join(folder), &at.join("schema").join(folder), &[]);
    }
    write(&at.join("schema/api.lock"), &fs::read(root.join("schema/api.lock")).unwrap());
    write(&at.join("schema/docs/v1/made_up.toml"), example("docs.toml").as_bytes());
    for file in ["crates/acp-agent/src/macro.md", "crates/acp-client/src/macro.md"] {
        write(&at.join(file), &fs::read(root.join(file)).unwrap());
    }
    insert(
        &at.join("schema/docs/v1/init.toml"),
        &[
            ("[SessionCapabilities.fields]\n", "review = \"Sessions can be reviewed.\"\n"),
            ("[ClientCapabilities.fields]\n", "reveal = \"Files can be shown.\"\n"),
        ],
    );
    let overlay = at.join("schema/overlay/v1.toml");
    let capabilities = "\"session/review\" = \"agentCapabilities.sessionCapabilities.review\"\n\
                        \"editor/reveal\" = \"clientCapabilities.reveal\"\n";
    insert(&overlay, &[("[capabilities]\n", capabilities)]);
    let rows = fs::read_to_string(&overlay).unwrap() + &example("overlay.toml");
    fs::write(&overlay, rows).unwrap();

    let update = ["update", "--dir", release.path().to_str().unwrap(), "--release", "next"];
    releases::run_in(at, &update.map(str::to_owned), &mut Vec::new()).unwrap();
    codegen::generate(at, Mode::Write).unwrap();
    codegen::generate(at, Mode::Check).unwrap();
    workspace
}

/// A workspace with the crates of this one as people have written them, and a program.
fn workspace(root: &Path, at: &Path) {
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap();
        if OTHERS.iter().any(|other| name == *other) {
            continue;
        }
        let to = at.join("crates").join(name);
        copy(&from.join("src"), &to.join("src"), &WRITTEN);
        let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
        // The tests of the crates are not here.
        let manifest = without_tables(&manifest, |title| {
            title.starts_with("[[test]]")
                || title.contains("dev-dependencies")
                || title.starts_with("[[bench]]")
        });
        write(&to.join("Cargo.toml"), manifest.as_bytes());
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = r#"members = ["crates/*", "examples", "xtask"]"#;
    assert!(manifest.contains(members), "the members of the workspace are said in another way");
    // Cargo would take the crates of the copy for those of this workspace, in the one target
    // folder.
    let version = "[workspace.package]\nversion = \"0.1.0\"";
    assert!(manifest.contains(version), "the version of the workspace is said in another way");
    let manifest = manifest.replace(version, &version.replace("0.1.0", "0.1.1"));
    write(&at.join("Cargo.toml"), manifest.replace(members, r#"members = ["crates/*"]"#).as_bytes());
    // The versions that this workspace has, so that nothing is fetched.
    write(&at.join("Cargo.lock"), &fs::read(root.join("Cargo.lock")).unwrap());
    let probe = at.join("crates/probe");
    write(&probe.join("Cargo.toml"), example("Cargo.toml.example").as_bytes());
    write(&probe.join("src/main.rs"), example("probe.rs").as_bytes());
}

fn without_tables(manifest: &str, is_left_out: impl Fn(&str) -> bool) -> String {
    let mut text = String::new();
    let mut is_out = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_out = is_left_out(line);
        }
        if !is_out {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[test]
fn a_new_method_takes_a_row_and_nothing_written_by_hand() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let generated = generated(root);
    let rules = fs::read_to_string(generated.path().join("crates/acp-agent/src/macro.md")).unwrap();
    let row = "| `review` | `session/review` | `ReviewRequest` | `bool` | `sessionCapabilities.review` |";
    assert!(rules.contains(row), "{rules}");

    let fresh = tempfile::tempdir().unwrap();
    workspace(root, fresh.path());
    copy(&generated.path().join("crates"), &fresh.path().join("crates"), &OTHERS);
    // One place for all runs, where only what has changed is compiled again.
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new_methods");
    mirror(fresh.path(), &at);

    // Crates of others that this workspace has built are not built again if their features are the
    // same.
    let target: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--package", "probe"])
        .current_dir(&at)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "every method was called\n");
}
