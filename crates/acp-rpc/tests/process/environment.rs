//! What a child process finds in its environment.

use acp_rpc::Command;

use super::common::soon;
use super::{shell, start};

#[tokio::test]
async fn environment_and_directory_are_set() {
    let print =
        r#"read line; echo "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":[\"$(pwd -P)\",\"$A\",\"$HOME\"]}""#;
    let table = [
        (shell(print).current_dir("/").env("A", "a").env("HOME", "/h"), ["/", "a", "/h"]),
        (shell(print).current_dir("/").env_clear(), ["/", "", ""]),
        (shell(print).current_dir("/").env("A", "a").env_clear(), ["/", "a", ""]),
        (shell(print).current_dir("/").env("A", "a").env_remove("HOME"), ["/", "a", ""]),
    ];
    for (command, expected) in table {
        let (_lab, peer, driver, _child) = start(command);
        tokio::spawn(driver);
        let answer: Vec<String> = soon("the answer", peer.request("ask", &())).await.unwrap();
        assert_eq!(answer, expected);
    }
}

/// The names of the variables that `env` prints, in order: values may be secrets of whoever runs the tests.
async fn names_in(command: Command) -> Vec<String> {
    let (mut running, mut output) = command.run().unwrap();
    let mut printed = String::new();
    soon("the end", tokio::io::AsyncReadExt::read_to_string(&mut output, &mut printed)).await.unwrap();
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
        (env().env_inherit(["PATH", "ACP_RPC_NOT_SET"]), &["PATH"]),
        (env().env_inherit(["PATH"]).env_inherit(["CARGO_MANIFEST_DIR"]), &["CARGO_MANIFEST_DIR", "PATH"]),
        (env().env_inherit(["PATH"]).env_clear(), &[]),
        (env().env("A", "a").env_inherit(["PATH"]).env("B", "b"), &["A", "B", "PATH"]),
        (env().env_inherit(["PATH", "CARGO_MANIFEST_DIR"]).env_remove("PATH"), &["CARGO_MANIFEST_DIR"]),
    ];
    for (index, (command, expected)) in table.into_iter().enumerate() {
        assert_eq!(names_in(command.without_listener()).await, expected, "row {index}");
    }
    // What is set wins over what is inherited.
    let printed = shell("printf %s \"$PATH\"").env("PATH", "/mine").env_inherit(["PATH"]).to_std();
    assert!(
        printed.get_envs().any(|(name, value)| name == "PATH" && value.is_some_and(|path| path == "/mine"))
    );
}
