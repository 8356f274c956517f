//! The agents as programs, driven by our own client.

#![allow(clippy::expect_used, reason = "what a test expects, it may insist on")]

use std::path::Path;

use acp_client::{Command, LocalFs, PermissionPolicy};

/// Runs one turn of a program in a folder and returns what it said and why it stopped.
async fn run(program: &str, folder: &Path, prompt: &str) -> (String, String) {
    let mut command = Command::new(program);
    // A model of whoever runs the tests stays out of it.
    command = command.env_remove("OPENAI_BASE_URL");
    let agent = acp_client::spawn(command)
        .fs(LocalFs::rooted(folder).expect("a folder"))
        .permissions(PermissionPolicy::allow_once())
        .await
        .expect("the agent starts");
    let session = agent.new_session(folder).await.expect("a session");
    let mut turn = session.prompt(prompt).await.expect("a turn");
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.extend(event.text());
    }
    let reason = turn.finish().await.expect("an answer").stop_reason.to_string();
    agent.close().await;
    (said, reason)
}

#[tokio::test]
async fn the_echo_agent_says_what_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (said, reason) = run(env!("CARGO_BIN_EXE_echo_agent"), folder.path(), "hello").await;
    assert_eq!((said.as_str(), reason.as_str()), ("hello", "end_turn"));
}

#[tokio::test]
async fn the_coding_agent_finds_and_edits_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "milk\nbread\n").expect("it can be written");
    let prompt =
        "find `bread`; replace `bread` with `cake`; append `tea` to notes.txt; create todo.txt with `shop`";
    let (said, reason) = run(env!("CARGO_BIN_EXE_coding_agent"), folder.path(), prompt).await;
    assert_eq!(reason, "end_turn", "{said}");
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), "milk\ncake\ntea\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("todo.txt")).expect("it is there"), "shop\n");
    assert!(said.contains("notes.txt:2: bread"), "{said}");
}
