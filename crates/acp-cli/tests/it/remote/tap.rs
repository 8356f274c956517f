//! `acp tap --url`: an agent of another machine, recorded.

use std::process::{Command, Stdio};

use super::{HERE, Served, said};
use crate::tap::entries;

#[tokio::test]
async fn an_agent_of_another_machine_is_recorded() {
    let served = Served::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    for (number, url) in [served.ws(), served.http()].into_iter().enumerate() {
        let file = folder.path().join(format!("{number}.ndjson"));
        let to = file.display().to_string();
        let command = acp_client::Command::new(env!("CARGO_BIN_EXE_acp"));
        let command = command.args(["tap", "--to", &to, "--url", &url]).env_remove("ACP_TOKEN");
        let agent = acp_client::spawn(command).await.expect("it starts");
        let session = agent.new_session(HERE).await.expect("a session");
        assert_eq!(said(&session, "long").await.expect("a turn").len(), 100_000);
        agent.close().await;
        let entries = entries(&file);
        let methods: Vec<_> = entries.iter().filter_map(|entry| entry.method.as_deref()).collect();
        assert_eq!(methods, ["initialize", "session/new", "session/prompt", "session/update"]);
        assert!(entries.iter().any(|entry| entry.bytes > 100_000));
    }
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("r.ndjson").display().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["tap", "--to", &to, "--url", "ws://127.0.0.1:9/acp"]).stdin(Stdio::null());
    let output = command.output().expect("acp runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("acp: "));
}
