//! Packages: each crate that may be published has everything that a registry and its documentation
//! site show.

use std::fs;
use std::path::Path;

use toml::Table;
use xtask::output::files_below;

#[test]
fn published_crates_are_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut faults = Vec::new();
    let mut published = 0;
    for folder in fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        let manifest: Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let package = manifest["package"].as_table().unwrap();
        if package.get("publish").is_some_and(|publish| publish.as_bool() == Some(false)) {
            continue;
        }
        published += 1;
        let name = package["name"].as_str().unwrap();
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                faults.push(format!("{name} lacks {what}"));
            }
        };
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            // A link to the file of the workspace counts; a broken one does not.
            expect(fs::metadata(folder.join(file)).is_ok(), file);
        }
        expect(package.get("readme").is_some_and(|readme| readme.as_str() == Some("README.md")), "`readme`");
        for key in ["description", "license", "repository", "keywords", "categories", "rust-version"] {
            expect(package.contains_key(key), key);
        }
        let docs =
            package.get("metadata").and_then(|metadata| metadata.get("docs")?.get("rs")?.get("all-features"));
        expect(docs.is_some_and(|all| all.as_bool() == Some(true)), "documentation with all features");
        expect(has_front_page(name, &folder), "a front page");
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(published > 7, "{published}");
}

/// Cargo passes over tests in a library or program with `test = false`.
#[test]
fn no_test_stands_where_it_is_not_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut without = 0;
    for folder in crates.chain(["examples", "xtask"].map(|name| root.join(name))) {
        let manifest: Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let is_run = |target: &toml::Value| target.get("test").and_then(toml::Value::as_bool) != Some(false);
        let mut passed_over = Vec::new();
        if manifest.get("lib").is_some_and(|lib| !is_run(lib)) {
            // Programs beside it have their own line in the manifest.
            passed_over.extend(files_below(&folder.join("src")).unwrap());
        }
        for bin in manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten() {
            let name = bin["name"].as_str().unwrap();
            let path = bin.get("path").and_then(toml::Value::as_str).map(ToOwned::to_owned);
            let path = path.unwrap_or_else(|| format!("src/bin/{name}.rs"));
            passed_over.extend((!is_run(bin)).then(|| folder.join(path)));
        }
        for path in passed_over {
            without += 1;
            let text = fs::read_to_string(&path).unwrap_or_default();
            let has_tests = text.contains("#[test]") || text.contains("#[tokio::test");
            assert!(!has_tests, "{}: no program runs its tests", path.display());
        }
    }
    assert!(without > 100, "{without}");
}

/// Checks that the crate has documentation at its root, and that the guide of an agent or a client
/// is in its package.
fn has_front_page(name: &str, folder: &Path) -> bool {
    let root = fs::read_to_string(folder.join("src/lib.rs")).unwrap_or_default();
    let is_guided = ["acp-agent", "acp-client"].contains(&name);
    (root.starts_with("//!") || root.starts_with("#![doc"))
        && (!is_guided || root.contains("[`guide`]") && folder.join("GUIDE.md").is_file())
}
