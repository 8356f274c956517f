//! The remote agent and its client.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use super::Server;

/// Runs the client with a token. Each line is a prompt.
fn client(url: &str, token: &str, prompts: &str) -> Output {
    let mut client = Command::new(env!("CARGO_BIN_EXE_remote_client"))
        .arg(url)
        .env("REMOTE_TOKEN", token)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // One that was refused does not read.
    let _ = client.stdin.take().expect("it was asked for").write_all(prompts.as_bytes());
    client.wait_with_output().expect("it ends")
}

#[test]
fn users_prompt_an_agent_on_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Command::new(env!("CARGO_BIN_EXE_remote_agent"));
    let agent = agent.arg("127.0.0.1:0").arg(folder.path()).env("REMOTE_TOKENS", "alice=secret bob=other");
    let server = Server::start(agent);
    for (scheme, token, user) in [("ws", "secret", "alice"), ("http", "other", "bob")] {
        let output = client(&server.url(scheme), token, "hello\nand more\n");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{err}");
        assert_eq!(out, format!("{user}, you said: hello\n{user}, you said: and more\n"));
        // The sessions of a user are in a folder of the user.
        assert!(folder.path().join(user).is_dir());
    }
    let output = client(&server.url("ws"), "wrong", "hello\n");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("401"));
}
