//! A schema of one's own becomes a crate of one's own: the example of `docs/CODEGEN.md` in
//! `own_schema/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::codegen;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own_schema").join(name)
}

fn generate(schema: &Path, overlay: &Path, out: &Path, more: &[&str]) -> Result<(), String> {
    let docs = example("docs");
    let arguments = [("--schema", schema), ("--overlay", overlay), ("--docs", &docs), ("--out", out)];
    let arguments = arguments.iter().flat_map(|(option, path)| [*option, path.to_str().unwrap()]);
    let arguments: Vec<String> = arguments.chain(more.iter().copied()).map(str::to_owned).collect();
    codegen::run(&arguments).map_err(|error| format!("{error:#}"))
}

#[test]
fn the_example_becomes_a_crate_that_builds_and_passes_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let (at, root) = (folder.path(), Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
    let out = at.join("src/generated");
    let (schema, overlay) = (example("schema.json"), example("overlay.toml"));
    generate(&schema, &overlay, &out, &[]).unwrap();
    generate(&schema, &overlay, &out, &["--check"]).unwrap();
    assert!(!fs::read_to_string(out.join("mod.rs")).unwrap().contains("crate::"));

    let manifest = fs::read_to_string(example("Cargo.toml.example")).unwrap();
    let here = |name: &str| format!("{name} = {{ path = {:?} }}", root.join("crates").join(name));
    let manifest = ["acp-json", "acp-types"]
        .iter()
        .fold(manifest, |text, name| text.replace(&format!("{name} = \"0.1.0\""), &here(name)));
    fs::write(at.join("Cargo.toml"), manifest).unwrap();
    // The versions that this workspace has, so that nothing is fetched.
    fs::copy(root.join("Cargo.lock"), at.join("Cargo.lock")).unwrap();
    fs::copy(example("lib.rs"), at.join("src/lib.rs")).unwrap();
    for (features, passed) in [(&[][..], "2 passed"), (&["--features", "schemars"], "3 passed")] {
        let output = Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--offline"])
            .args(features)
            .current_dir(at)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("own_schema"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains(passed));
    }
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("generated");
    let (schema, overlay) = (example("schema.json"), example("overlay.toml"));
    let error = generate(&schema, &overlay, &out, &["--check"]).unwrap_err();
    assert!(error.starts_with("generated files differ"), "{error}");

    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("mine.rs"), "pub struct Mine;\n").unwrap();
    let error = generate(&schema, &overlay, &out, &[]).unwrap_err();
    assert!(error.ends_with("name a folder with --out that belongs to the generator alone"), "{error}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);

    let stale = folder.path().join("overlay.toml");
    fs::write(&stale, fs::read_to_string(&overlay).unwrap() + "[members]\nnothing = \"none\"\n").unwrap();
    let error = generate(&schema, &stale, &folder.path().join("other"), &[]).unwrap_err();
    assert!(error.contains("match nothing in the schema") && error.ends_with("members / nothing"), "{error}");

    let error = codegen::run(&["--schema".to_owned(), "own.json".to_owned()]).unwrap_err().to_string();
    assert!(error.starts_with("--overlay is missing"), "{error}");
}
