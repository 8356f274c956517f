//! Which crate of ours may use which, and what every member takes from the workspace.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The crates of ours that a crate may use.
enum May {
    Use(&'static [&'static str]),
    UseAny,
}

use May::{Use, UseAny};

/// The rooms of the workspace, as docs/ARCHITECTURE.md draws them. Tests and benches may use any of
/// ours.
const TABLE: [(&str, May); 19] = [
    ("acp-json", Use(&[])),
    ("acp-macros", Use(&[])),
    ("acp-process", Use(&[])),
    ("acp-fs", Use(&[])),
    ("acp-types", Use(&["acp-json"])),
    ("acp-rpc", Use(&["acp-json", "acp-process"])),
    ("acp-handlers", Use(&["acp-json", "acp-types", "acp-rpc"])),
    (
        "acp-agent",
        Use(&[
            "acp-json",
            "acp-types",
            "acp-rpc",
            "acp-macros",
            "acp-handlers",
            "acp-mcp",
            "acp-process",
            "acp-fs",
        ]),
    ),
    (
        "acp-client",
        Use(&[
            "acp-json",
            "acp-types",
            "acp-rpc",
            "acp-macros",
            "acp-handlers",
            "acp-mcp",
            "acp-process",
            "acp-fs",
        ]),
    ),
    ("acp-http", Use(&["acp-json", "acp-rpc"])),
    ("acp-mcp", Use(&["acp-json", "acp-types", "acp-process"])),
    ("acp-proxy", Use(&["acp-json", "acp-types", "acp-rpc", "acp-macros"])),
    ("acp-store-postgres", Use(&["acp-types", "acp-agent"])),
    ("acp-inspect", Use(&["acp-json", "acp-types", "acp-rpc", "acp-testkit"])),
    ("acp-testkit", UseAny),
    ("acp-ui-tests", UseAny),
    ("acp-cli", UseAny),
    ("examples", UseAny),
    ("xtask", Use(&[])),
];

/// Dependencies behind a feature that is off by default, so that others do not pay for them.
const OPTIONAL: [(&str, &str); 4] = [
    ("acp-agent", "acp-mcp"),
    ("acp-agent", "acp-fs"),
    ("acp-agent", "acp-process"),
    ("acp-client", "acp-mcp"),
];

/// Dependencies behind a feature, even one that is on by default.
const BY_FEATURE: [(&str, &str); 2] = [("acp-rpc", "acp-process"), ("acp-mcp", "acp-process")];

#[test]
fn our_crates_use_each_other_as_the_table_says() {
    let metadata = metadata();
    assert_eq!(violations(&metadata), [""; 0]);
    let names: Vec<&str> = packages(&metadata).map(|package| text(package, "name")).collect();
    for (name, _) in &TABLE {
        assert!(names.contains(name), "the table has {name}, which is no member of the workspace");
    }
}

#[test]
fn what_the_table_does_not_allow_is_named() {
    let uses = |name: &str, kind: Value, on: &str, path: Value| json!({ "name": name, "dependencies": [{ "name": on, "kind": kind, "path": path }] });
    let here = || json!("/somewhere");
    let metadata = json!({ "packages": [
        uses("acp-rpc", json!(null), "acp-types", here()),
        uses("acp-json", json!("build"), "acp-macros", here()),
        uses("acp-json", json!("dev"), "acp-macros", here()),
        uses("acp-json", json!(null), "serde_core", json!(null)),
        uses("acp-cli", json!(null), "acp-client", here()),
        uses("acp-new", json!(null), "acp-json", here()),
        uses("acp-mcp", json!(null), "acp-rpc", here()),
        uses("xtask", json!(null), "acp-types", here()),
        uses("acp-agent", json!(null), "acp-mcp", here()),
        uses("acp-rpc", json!(null), "acp-process", here()),
    ] });
    assert_eq!(
        violations(&metadata),
        [
            "acp-rpc depends on acp-types; it may use [\"acp-json\", \"acp-process\"]",
            "acp-json depends on acp-macros; it may use []",
            "acp-new is not in the table; say in xtask/tests/it/crate_dependencies.rs what it may use",
            "acp-mcp depends on acp-rpc; it may use [\"acp-json\", \"acp-types\", \"acp-process\"]",
            "xtask depends on acp-types; it may use []",
            "acp-agent depends on acp-mcp for everybody; it may do so with a feature",
            "acp-rpc depends on acp-process for everybody; it may do so with a feature",
        ]
    );
}

#[test]
fn what_is_optional_is_in_no_default_feature() {
    let metadata = metadata();
    for (name, on) in OPTIONAL {
        let package = packages(&metadata).find(|package| text(package, "name") == name).unwrap();
        let features = package["features"].as_object().unwrap();
        let mut default = vec!["default".to_owned()];
        let mut index = 0;
        while let Some(feature) = default.get(index).cloned() {
            let more = features.get(&feature).and_then(Value::as_array).into_iter().flatten();
            default.extend(more.map(|feature| feature.as_str().unwrap().to_owned()));
            index += 1;
        }
        assert!(!default.iter().any(|feature| feature.contains(on)), "{name}: {default:?}");
    }
}

#[test]
fn version_2_costs_no_crate() {
    for side in ["acp-agent", "acp-client"] {
        assert_eq!(tree(side, "v2"), tree(side, ""), "{side}");
    }
    let agent = tree("acp-agent", "");
    assert!((10..=45).contains(&agent.len()), "{agent:?}");
    // The comparison sees a crate that a feature adds.
    assert!(tree("acp-agent", "store").len() > agent.len());
}

/// Returns the crates that a program on this system gets with a crate and a feature of it.
fn tree(of: &str, feature: &str) -> BTreeSet<String> {
    let cargo = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--edges=normal", "--prefix=none", "--format={p}", "--package", of])
        .args(["--features", feature])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    let lines = String::from_utf8(cargo.stdout).unwrap();
    // A crate that was listed before has a mark.
    lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn every_member_takes_its_policies_from_the_workspace() {
    for package in packages(&metadata()) {
        let path = text(package, "manifest_path");
        let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
        let inherits = |table: &str, key: Option<&str>| {
            let value = manifest.get(table).and_then(|table| key.map_or(Some(table), |key| table.get(key)));
            value.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
        };
        assert!(inherits("lints", None), "{path}: [lints] workspace = true");
        for key in ["edition", "rust-version", "license", "version", "repository"] {
            assert!(inherits("package", Some(key)), "{path}: {key}.workspace = true");
        }
        for table in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for (name, _) in manifest.get(table).and_then(toml::Value::as_table).into_iter().flatten() {
                assert!(inherits(table, Some(name)), "{path}: {name}.workspace = true in [{table}]");
            }
        }
    }
}

fn violations(metadata: &Value) -> Vec<String> {
    let mut violations = Vec::new();
    for package in packages(metadata) {
        let name = text(package, "name");
        let Some((_, may)) = TABLE.iter().find(|(known, _)| *known == name) else {
            violations.push(format!(
                "{name} is not in the table; say in xtask/tests/it/crate_dependencies.rs what it may use"
            ));
            continue;
        };
        let Use(allowed) = may else { continue };
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = text(dependency, "name");
            // Ours have a path; what only tests use makes no layer.
            let counts = dependency["path"].is_string() && dependency["kind"] != "dev";
            if counts && !allowed.contains(&on) {
                violations.push(format!("{name} depends on {on}; it may use {allowed:?}"));
            }
            let by_feature = OPTIONAL.contains(&(name, on)) || BY_FEATURE.contains(&(name, on));
            if by_feature && dependency["optional"] != true {
                violations.push(format!("{name} depends on {on} for everybody; it may do so with a feature"));
            }
        }
    }
    violations
}

fn metadata() -> Value {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    serde_json::from_slice(&cargo.stdout).unwrap()
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().unwrap().iter()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}
