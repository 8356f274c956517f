//! The coding agent with clients that offer files and terminals, and with those that offer nothing.

use std::fs;

use acp_client::v1::{McpServerStdio, StopReason};
use acp_client::{Command, Event, LocalFs, LocalTerminals, PermissionPolicy};

use crate::mcp_agent::SERVER;

const WORK: &str = "read notes.txt; replace `two` with `2` in notes.txt; create new.txt with `new`;
    find `2`; run `cat notes.txt new.txt`; call sh__echo with `{\"say\":\"hello\"}`";

/// Runs the work and returns what the agent said, and the tool calls with their last status.
async fn work(files: Option<LocalFs>, has_terminals: bool) -> (String, Vec<(String, String)>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "one\ntwo\n").unwrap();
    let mut connect = acp_client::spawn(Command::new(env!("CARGO_BIN_EXE_coding_agent")))
        .permissions(PermissionPolicy::allow_once());
    if let Some(files) = files {
        connect = connect.fs(files);
    }
    if has_terminals {
        connect = connect.terminals(LocalTerminals::new());
    }
    let agent = connect.await.unwrap();
    let server = McpServerStdio::new("sh", "/bin/sh", ["-c".to_owned(), SERVER.to_owned()], []);
    let session = agent.new_session(folder.path()).mcp_server(server).await.unwrap();
    let mut turn = session.prompt(WORK).await.unwrap();
    let (mut said, mut calls) = (String::new(), Vec::new());
    while let Some(event) = turn.next().await {
        match &event {
            Event::ToolCall(call) => {
                calls.push((call.tool_call_id.to_string(), call.title.clone(), String::new()));
            }
            Event::ToolCallUpdate(update) => {
                let id = update.tool_call_id.to_string();
                let call = calls.iter_mut().find(|(known, ..)| *known == id).unwrap();
                if let Some(status) = &update.status {
                    call.2 = status.to_string();
                }
            }
            Event::Message(_) => said.extend(event.text()),
            _ => {}
        }
    }
    assert_eq!(turn.finish().await.unwrap().stop_reason, StopReason::EndTurn);
    agent.close().await;
    assert_eq!(fs::read_to_string(folder.path().join("notes.txt")).unwrap(), "one\n2\n");
    assert_eq!(fs::read_to_string(folder.path().join("new.txt")).unwrap(), "new\n");
    (said, calls.into_iter().map(|(_, title, status)| (title, status)).collect())
}

#[tokio::test]
async fn it_does_the_same_work_with_every_client() {
    let nothing = work(None, false).await;
    let calls: Vec<_> = nothing.1.iter().map(|(title, status)| (title.as_str(), status.as_str())).collect();
    assert_eq!(
        calls,
        [
            ("Read notes.txt", "completed"),
            ("Edit notes.txt", "completed"),
            ("Write new.txt", "completed"),
            ("Find `2`", "completed"),
            ("Run cat notes.txt new.txt", "completed"),
            ("echo", "completed"),
        ]
    );
    assert!(nothing.0.contains("one\n2\nnew\n"), "{}", nothing.0);
    assert!(nothing.0.contains("hello"), "{}", nothing.0);
    let read_only = LocalFs::session_roots().read_only();
    for (files, has_terminals) in
        [(Some(LocalFs::session_roots()), true), (Some(read_only), false), (None, true)]
    {
        assert_eq!(work(files, has_terminals).await, nothing, "terminals: {has_terminals}");
    }
}
