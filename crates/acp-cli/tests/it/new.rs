//! `acp new` makes projects that build, run and pass their tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A folder of one test. It is the same one in each run, so that what was built is not built again.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder takes files");
    folder
}

fn acp_new(at: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acp")).arg("new").args(args).current_dir(at).output().expect("acp runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeded(mut command: Command) -> String {
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn both_projects_build_run_and_pass_their_tests() {
    let at = folder("acp_new");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target folder");
    for (kind, name) in [("agent", "made-agent"), ("client", "made-client")] {
        let made = acp_new(&at, &[kind, name, "--path", root().to_str().expect("is text")]);
        assert_eq!((text(&made.stderr).as_str(), made.status.code()), ("", Some(0)));
        assert!(text(&made.stdout).starts_with(&format!("made {name}\n\n  cd {name}\n  cargo test\n")));
        // The versions that this workspace has, so that nothing is fetched.
        fs::copy(root().join("Cargo.lock"), at.join(name).join("Cargo.lock")).expect("there is a lock file");
        // Warnings would be the first thing that the author of the project sees. The check is
        // without the dependencies of the tests, and their features. The tests build the program,
        // with what the tests of the other project have built.
        for (command, passed) in [("check", ""), ("test", "1 passed")] {
            let mut cargo = Command::new(env!("CARGO"));
            cargo
                .args([command, "--quiet", "--offline"])
                .current_dir(at.join(name))
                .env("CARGO_TARGET_DIR", target);
            if std::env::var_os("CARGO_PROFILE_DEV_DEBUG").is_none() {
                cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
            }
            let output = cargo.output().expect("cargo runs");
            assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
            assert!(text(&output.stdout).contains(passed), "{}", text(&output.stdout));
            let is_warned = text(&output.stderr).contains(&format!("`{name}` ("));
            assert!(!is_warned, "{}", text(&output.stderr));
        }
        // `cargo fmt` has nothing to do.
        let mut rustfmt = Command::new(env!("CARGO"));
        rustfmt.args(["fmt", "--check"]).current_dir(at.join(name));
        succeeded(rustfmt);
    }
    let program =
        |name: &str| target.join("debug").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let mut client = Command::new(program("made-client"));
    client.arg("Hello").arg(program("made-agent")).current_dir(&at);
    assert_eq!(succeeded(client), "Prompt 1: Hello\n[end_turn]\n");
    let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
    acp.args(["prompt", "Hello", "--"]).arg(program("made-agent")).current_dir(&at);
    assert!(succeeded(acp).contains("Prompt 1: Hello"));
}

#[test]
fn an_existing_folder_and_bad_names_are_refused() {
    let at = folder("acp_new_refused");
    fs::create_dir(at.join("empty")).expect("made");
    fs::write(at.join("file"), "kept").expect("written");
    let path = at.to_str().expect("is text").to_owned();
    for (args, status, message) in [
        (&["agent", "empty"][..], 1, "`empty` is there already"),
        (&["client", "file"], 1, "`file` is there already"),
        (&["agent", "../out"], 1, "is not a name for a package"),
        (&["agent", "1st"], 1, "is not a name for a package"),
        (&["agent", "naïve"], 1, "is not a name for a package"),
        (&["agent", ""], 1, "is not a name for a package"),
        (&["agent", "acp-agent"], 1, "is taken"),
        (&["client", "Test"], 1, "is taken"),
        (&["agent", "fine", "--path", &path], 1, "there is no crates/acp-agent in it"),
        (&["agent"], 2, "the name is missing"),
    ] {
        let output = acp_new(&at, args);
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        assert!(text(&output.stderr).contains(message), "{args:?}: {}", text(&output.stderr));
    }
    let left: Vec<_> =
        fs::read_dir(&at).expect("is there").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(fs::read_dir(at.join("empty")).expect("is there").count(), 0);
    assert_eq!(fs::read_to_string(at.join("file")).expect("is there"), "kept");
}

#[test]
fn the_dependency_is_a_commit_or_the_newest_one() {
    let at = folder("acp_new_sources");
    for (args, line) in [
        (&["agent", "newest"][..], "acp-agent = { git = \"https://github.com/acp-rs/acp\" }"),
        (
            &["client", "kept", "--rev", "0a1b2c3"],
            "acp-client = { git = \"https://github.com/acp-rs/acp\", rev = \"0a1b2c3\" }",
        ),
    ] {
        let output = acp_new(&at, args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let manifest = fs::read_to_string(at.join(args[1]).join("Cargo.toml")).expect("is there");
        assert!(manifest.lines().any(|written| written == line), "{manifest}");
        assert!(!manifest.contains("{{"), "{manifest}");
    }
}
