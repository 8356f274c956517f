//! The map of the files and the floors in the documentation are those of the code.

use std::fs;
use std::path::Path;

use xtask::map::{self, ARCHITECTURE, MAP};
use xtask::output::Mode;

#[test]
fn the_map_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    map::generate(root, Mode::Check).unwrap();
}

#[test]
fn a_file_that_comes_or_says_something_else_changes_the_map() {
    let workspace = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = workspace.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let read = |path: &str| fs::read_to_string(workspace.path().join(path)).unwrap();
    let list = "lines = 9\nentries = 9\ncircle = 1\n[crate.acp-one]\nenforced = true\nfloors = ['room']\n";
    write("xtask/floors.toml", list);
    write("crates/acp-one/Cargo.toml", "[package]\nname = 'acp-one'\ndescription = 'One of one'\n");
    write("crates/acp-one/src/lib.rs", "//! Front.\nmod room;\n");
    write("crates/acp-one/src/room/mod.rs", "//! The room\n//! of [`Door`]s. More.\nmod door;\n");
    write("crates/acp-one/src/room/door.rs", "//! A door.\n");
    write(
        ARCHITECTURE,
        "# A\n<!-- floors: `cargo xtask map` writes this list -->\nold\n<!-- end of floors -->\nrest\n",
    );
    map::generate(workspace.path(), Mode::Write).unwrap();
    assert!(
        read(MAP).ends_with(
            "\n## crates/acp-one\n\nOne of one.\n\n**`room/`**: The room of `Door`s\n\n- `door.rs`: A door\n"
        ),
        "{}",
        read(MAP)
    );
    let page = read(ARCHITECTURE);
    assert!(page.contains("```text\nacp-one\n    1  the root\n    2  room\n```"), "{page}");
    assert!(page.ends_with("<!-- end of floors -->\nrest\n"), "{page}");

    map::generate(workspace.path(), Mode::Check).unwrap();
    write("crates/acp-one/src/room/door.rs", "//! A gate.\n");
    let error = map::generate(workspace.path(), Mode::Check).unwrap_err().to_string();
    assert!(error.contains("run `cargo xtask map`") && error.contains("stale:   docs/MAP.md"), "{error}");
}
