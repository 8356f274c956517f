//! The files of the repository are those that the generator writes, and a difference is named.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::codegen;
use xtask::output::{Mode, Output, apply};

const COMMAND: &str = "cargo xtask codegen";

#[test]
fn the_generated_code_of_this_repository_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    codegen::generate(root, Mode::Check).unwrap();
}

#[test]
fn stale_missing_and_extra_files_are_named_and_then_mended() {
    let workspace = tempfile::tempdir().unwrap();
    let (root, folders) = (workspace.path(), [PathBuf::from("generated")]);
    let output =
        |name: &str| Output { path: Path::new("generated").join(name), text: format!("// {name}\n") };
    let outputs = [output("current.rs"), output("stale.rs"), output("deep/missing.rs")];
    fs::create_dir_all(root.join("generated/deep")).unwrap();
    fs::write(root.join("generated/current.rs"), "// current.rs\n").unwrap();
    fs::write(root.join("generated/stale.rs"), "// stale.rs\n// by hand\n").unwrap();
    fs::write(root.join("generated/deep/extra.rs"), "").unwrap();
    fs::write(root.join("beside.rs"), "by hand").unwrap();

    let error = apply(root, &folders, &outputs, Mode::Check, COMMAND).unwrap_err().to_string();
    assert_eq!(
        error,
        "generated files differ; run `cargo xtask codegen`\n\
         stale:   generated/stale.rs\n\
         missing: generated/deep/missing.rs\n\
         extra:   generated/deep/extra.rs"
    );
    assert_eq!(fs::read_to_string(root.join("generated/stale.rs")).unwrap(), "// stale.rs\n// by hand\n");

    apply(root, &folders, &outputs, Mode::Write, COMMAND).unwrap();
    apply(root, &folders, &outputs, Mode::Check, COMMAND).unwrap();
    assert!(!root.join("generated/deep/extra.rs").exists());
    assert_eq!(fs::read_to_string(root.join("beside.rs")).unwrap(), "by hand");
}

#[test]
fn a_schema_that_was_edited_by_hand_is_not_generated_from() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = tempfile::tempdir().unwrap();
    copy(&root.join("schema"), &workspace.path().join("schema"));
    codegen::generate(workspace.path(), Mode::Write).unwrap();
    codegen::generate(workspace.path(), Mode::Check).unwrap();

    let schema = workspace.path().join("schema/v1/schema.json");
    let text = fs::read_to_string(&schema).unwrap();
    fs::write(&schema, text.replace("\"uint16\"", "\"uint32\"")).unwrap();
    for mode in [Mode::Check, Mode::Write] {
        let error = format!("{:#}", codegen::generate(workspace.path(), mode).unwrap_err());
        assert!(error.starts_with("schema/ is not what schema/UPSTREAM.toml says"), "{error}");
    }
}

#[test]
fn the_table_of_operations_is_written_into_the_rules_and_their_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let workspace = tempfile::tempdir().unwrap();
    copy(&root.join("schema"), &workspace.path().join("schema"));
    let (rules, page) = ("crates/acp-agent/src/macro.md", "docs/MACROS.md");
    fs::create_dir_all(workspace.path().join(rules).parent().unwrap()).unwrap();
    let begin = "<!-- operations: `cargo xtask codegen` writes this table -->";
    let text = |end: &str| {
        format!(
            "# Rules of [`Turn`](crate::Turn)\n{begin}\nstale\n{end}\n```\nlet a = 1;\n# let b = 2;\n```\n"
        )
    };
    fs::write(workspace.path().join(rules), text("<!-- end of operations -->")).unwrap();
    codegen::generate(workspace.path(), Mode::Write).unwrap();
    let read = |path: &str| fs::read_to_string(workspace.path().join(path)).unwrap();
    assert!(
        read(rules).contains("| `prompt` | `session/prompt` | `Turn` | `StopReason` |"),
        "{}",
        read(rules)
    );
    assert!(!read(rules).contains("stale"));
    assert!(read(page).contains("# Rules of `Turn`\n"), "{}", read(page));
    assert!(read(page).ends_with("```rust\nlet a = 1;\n```\n"), "{}", read(page));

    // The rules of clients follow on the same page.
    let client = "crates/acp-client/src/macro.md";
    fs::create_dir_all(workspace.path().join(client).parent().unwrap()).unwrap();
    fs::write(workspace.path().join(client), text("<!-- end of operations -->")).unwrap();
    codegen::generate(workspace.path(), Mode::Write).unwrap();
    let row =
        "| `read_text_file` | `fs/read_text_file` | `ReadTextFileRequest` | `String` | `fs.readTextFile` |";
    assert!(read(client).contains(row), "{}", read(client));
    let both = read(page);
    let (prompt, file) = (both.find("| `prompt` |"), both.find(row));
    assert!(prompt.is_some() && prompt < file, "{both}");

    fs::write(workspace.path().join(page), read(page).replace("`StopReason`", "`()`")).unwrap();
    let error = codegen::generate(workspace.path(), Mode::Check).unwrap_err().to_string();
    assert!(error.ends_with("stale:   docs/MACROS.md"), "{error}");

    fs::write(workspace.path().join(rules), text("<!-- end -->")).unwrap();
    let error = codegen::generate(workspace.path(), Mode::Write).unwrap_err().to_string();
    assert!(error.contains("no place for the table"), "{error}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
