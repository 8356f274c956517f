//! No target with `test = false` has unit tests: they would never run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn list<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value[member].as_array().into_iter().flatten()
}

/// Returns the modules that the root of a target declares.
fn modules(root: &str) -> Vec<&str> {
    let declared = |line: &'_ str| line.trim_start().trim_start_matches("pub(crate) ").starts_with("mod ");
    let lines = root.lines().map(|line| line.trim_start_matches("pub ")).filter(|line| declared(line));
    lines.filter_map(|line| line.split("mod ").nth(1)?.strip_suffix(';')).collect()
}

/// Adds the files of a module, with those of the modules in it.
fn add(files: &mut Vec<PathBuf>, path: &Path) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten() {
        add(files, &entry.unwrap().path());
    }
}

/// Returns the files with unit tests in targets that are not tested. A module that a tested target
/// of the package has, too, is tested there.
fn untested(package: &Value) -> Vec<PathBuf> {
    let root = |target: &Value| PathBuf::from(target["src_path"].as_str().unwrap());
    let text = |file: &Path| fs::read_to_string(file).unwrap();
    let own = |target: &&Value| list(target, "kind").any(|kind| kind == "lib" || kind == "bin");
    let (tested, others): (Vec<_>, Vec<_>) =
        list(package, "targets").filter(own).partition(|target| target["test"] == true);
    let tested: Vec<String> = tested.into_iter().map(|target| text(&root(target))).collect();
    let is_tested = |name: &str| tested.iter().any(|root| modules(root).contains(&name));
    let mut files = Vec::new();
    for target in others {
        let root = root(target);
        for name in modules(&text(&root)).into_iter().filter(|name| !is_tested(name)) {
            add(&mut files, &root.with_file_name(name));
            add(&mut files, &root.with_file_name(format!("{name}.rs")));
        }
        files.push(root);
    }
    files.retain(|file| text(file).lines().any(|line| line.trim_start().starts_with("#[test]")));
    files
}

#[test]
fn unit_tests_run() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(workspace)
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages: Vec<_> = list(&metadata, "packages").collect();
    assert!(packages.len() > 10, "{}", packages.len());
    let files: Vec<_> = packages.into_iter().flat_map(untested).collect();
    assert!(files.is_empty(), "these tests never run: take `test = false` away: {files:?}");
}

#[test]
fn tests_of_a_target_without_tests_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    };
    let main = write("src/main.rs", "pub(crate) mod one;\nmod both;\nfn main() {}\n");
    let one = write("src/one/inner.rs", "mod tests {\n    #[test]\n    fn x() {}\n}\n");
    write("src/both.rs", "#[test]\nfn x() {}\n");
    let lib = write("src/lib.rs", "pub mod both;\n");
    let target = |kind: &str, path: &Path, test: bool| serde_json::json!({"kind": [kind], "src_path": path, "test": test});
    let package =
        |test: bool| serde_json::json!({"targets": [target("lib", &lib, true), target("bin", &main, test)]});
    assert_eq!(untested(&package(false)), [one]);
    assert!(untested(&package(true)).is_empty());
}
