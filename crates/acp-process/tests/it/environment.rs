//! Environment and folder of a child process.

use acp_process::Command;
use tokio::io::AsyncReadExt;

use crate::support::{shell, soon};

#[tokio::test]
async fn environment_and_directory_are_set() {
    let print = r#"printf '%s|%s|%s' "$(pwd -P)" "$A" "$HOME""#;
    let table = [
        (shell(print).current_dir("/").env("A", "a").env("HOME", "/h"), ["/", "a", "/h"]),
        (shell(print).current_dir("/").env_clear(), ["/", "", ""]),
        (shell(print).current_dir("/").env("A", "a").env_clear(), ["/", "a", ""]),
        (shell(print).current_dir("/").env("A", "a").env_remove("HOME"), ["/", "a", ""]),
    ];
    for (command, expected) in table {
        let (_running, mut output) = command.run().unwrap();
        let mut printed = String::new();
        soon("the end", output.read_to_string(&mut printed)).await.unwrap();
        assert_eq!(printed, expected.join("|"));
    }
}

/// The names of the variables that `env` prints, in order. The values may be secrets.
async fn names_in(command: Command) -> Vec<String> {
    let (mut running, mut output) = command.run().unwrap();
    let mut printed = String::new();
    soon("the end", output.read_to_string(&mut printed)).await.unwrap();
    assert_eq!(soon("the exit", running.exited()).await.status, Some(0));
    let names = printed.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.to_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[tokio::test]
async fn only_named_variables_are_inherited() {
    let env = || Command::new("/usr/bin/env");
    let own = |name: &str| std::env::var_os(name).is_some();
    assert!(own("PATH") && own("CARGO_MANIFEST_DIR"), "as cargo sets them for tests");
    let all = names_in(env()).await;
    assert!(all.contains(&"PATH".into()) && all.contains(&"CARGO_MANIFEST_DIR".into()), "{all:?}");

    let table: [(Command, &[&str]); 7] = [
        (env().env_clear(), &[]),
        (env().env_inherit(["PATH"]), &["PATH"]),
        (env().env_inherit(["PATH", "ACP_PROCESS_NOT_SET"]), &["PATH"]),
        (env().env_inherit(["PATH"]).env_inherit(["CARGO_MANIFEST_DIR"]), &["CARGO_MANIFEST_DIR", "PATH"]),
        (env().env_inherit(["PATH"]).env_clear(), &[]),
        (env().env("A", "a").env_inherit(["PATH"]).env("B", "b"), &["A", "B", "PATH"]),
        (env().env_inherit(["PATH", "CARGO_MANIFEST_DIR"]).env_remove("PATH"), &["CARGO_MANIFEST_DIR"]),
    ];
    for (index, (command, expected)) in table.into_iter().enumerate() {
        assert_eq!(names_in(command.without_listener()).await, expected, "row {index}");
    }
    // A variable that is set wins over the inherited one.
    let printed = shell("printf %s \"$PATH\"").env("PATH", "/mine").env_inherit(["PATH"]).to_std();
    assert!(
        printed.get_envs().any(|(name, value)| name == "PATH" && value.is_some_and(|path| path == "/mine"))
    );
}
