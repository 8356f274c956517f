//! `--help` and the pages of the commands, which are made from one definition.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

fn acp(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_acp")).args(args).output().expect("acp runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("read"));
    let named = files.map(|file| {
        let name = file.file_name().into_string().expect("UTF-8");
        (name, fs::read_to_string(file.path()).expect("a page"))
    });
    named.collect()
}

#[test]
fn the_pages_of_the_documentation_are_current() {
    let folder = tempfile::tempdir().expect("a folder");
    acp(&["man", "--markdown", folder.path().to_str().expect("UTF-8")]);
    let documented = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli");
    let (current, documented) = (pages(folder.path()), pages(&documented));
    let names = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
    let how = "run `cargo run -p acp-cli -- man --markdown docs/cli`";
    assert_eq!(names(&documented), names(&current), "docs/cli is stale: {how}");
    for (name, page) in &current {
        assert!(documented[name] == *page, "docs/cli/{name} is stale: {how}");
    }
}

#[test]
fn every_help_teaches_with_an_example() {
    let mut commands = vec![vec![]];
    while let Some(command) = commands.pop() {
        let help = acp(&[&command[..], &["--help"]].concat());
        assert!(help.contains("Example"), "{command:?}: {help}");
        let below = help.split_once("\nCommands:\n").map_or("", |(_, below)| below);
        for line in below.lines().take_while(|line| line.starts_with("  ")) {
            let name = line.split_whitespace().next().expect("a name").to_owned();
            if name != "help" {
                commands.push([&command[..], &[Box::leak(name.into_boxed_str())]].concat());
            }
        }
    }
}

#[test]
fn the_schema_of_the_lines_is_printed() {
    let schema: serde_json::Value = serde_json::from_str(&acp(&["prompt", "--schema"])).expect("JSON");
    assert!(jsonschema::validator_for(&schema).is_ok());
    let output = Command::new(env!("CARGO_BIN_EXE_acp")).args(["prompt", "--schema", "hi"]).output();
    assert_eq!(output.expect("acp runs").status.code(), Some(2));
}
