//! Golden files: for each shape of the schema `shapes/<shape>.json`, our decisions about it in
//! `shapes/<shape>.toml`, and the code that comes of it in `shapes/<shape>.rs`.
//!
//! `UPDATE=1 cargo test -p xtask --test it shapes` writes the code anew. The tests of
//! `acp-types` compile it and read and write values with it: `crates/acp-types/tests/it/shapes.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::{codegen, releases};

const SHAPES: [&str; 21] = [
    "any_typed",
    "closed_enum",
    "flattened_union",
    "integer_enum",
    "integer_newtype",
    "map",
    "object",
    "open_enum",
    "other_members",
    "reading_rules",
    "single_kind",
    "string_newtype",
    "tagged_default_arm",
    "tagged_open_union",
    "tagged_union",
    "three_state",
    "untagged_by_kind",
    "untagged_by_member",
    "untagged_lists",
    "untagged_or_any",
    "whole_null",
];

#[test]
fn each_shape_becomes_the_code_of_its_golden_file() {
    let mut different = Vec::new();
    for shape in SHAPES {
        let path = folder().join(format!("{shape}.rs"));
        let code = generate(shape);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &code).unwrap();
        } else if let Some(difference) =
            first_difference(&fs::read_to_string(&path).unwrap_or_default(), &code)
        {
            different.push(format!("{shape}.rs, {difference}"));
        }
    }
    assert!(
        different.is_empty(),
        "the generated code changed; look at the difference after `UPDATE=1 cargo test -p xtask --test it shapes`\n{}",
        different.join("\n")
    );
}

#[test]
fn each_golden_file_has_its_shape_and_is_compiled() {
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, SHAPES);
    let compiled = fs::read_to_string(root().join("crates/acp-types/tests/it/shapes.rs")).unwrap();
    for shape in SHAPES {
        let module = format!("#[path = \"../../../../xtask/tests/shapes/{shape}.rs\"]\nmod {shape};");
        assert!(compiled.contains(&module), "crates/acp-types/tests/it/shapes.rs does not have\n{module}");
    }
}

/// The way of a schema from upstream: imported with all checks, then through the generator.
fn generate(shape: &str) -> String {
    let workspace = tempfile::tempdir().unwrap();
    let at = workspace.path();
    fs::create_dir_all(at.join("schema/overlay")).unwrap();
    fs::create_dir_all(at.join("schema/docs/v1")).unwrap();
    fs::copy(folder().join(format!("{shape}.toml")), at.join("schema/overlay/v1.toml")).unwrap();
    let file = folder().join(format!("{shape}.json")).display().to_string();
    let import = ["update", "--file", file.as_str(), "--release", "of-the-test"].map(str::to_owned);
    releases::run_in(at, &import, &mut Vec::new()).unwrap_or_else(|error| panic!("{shape}: {error:#}"));
    let outputs = codegen::outputs(at).unwrap_or_else(|error| panic!("{shape}: {error:#}"));
    let types = outputs.into_iter().find(|output| output.path.ends_with("unsorted.rs"));
    types.expect("types that no overlay sorts").text
}

fn first_difference(golden: &str, code: &str) -> Option<String> {
    let line = golden.lines().zip(code.lines()).position(|(golden, code)| golden != code);
    match line {
        None if golden.len() == code.len() => None,
        None => Some("one is the beginning of the other".to_owned()),
        Some(line) => Some(format!(
            "line {}:\n  golden: {}\n  now:    {}",
            line + 1,
            golden.lines().nth(line).unwrap_or_default(),
            code.lines().nth(line).unwrap_or_default()
        )),
    }
}

fn folder() -> PathBuf {
    root().join("xtask/tests/shapes")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
