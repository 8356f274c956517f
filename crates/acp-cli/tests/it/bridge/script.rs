//! A scripted agent of version 2: what a client of version 1 gets of the words that it does not
//! know.

use acp_client::ProtocolVersion;
use serde_json::{Value, json};

use super::raw::{Raw, V1, V2, opened_as, opened_by};
use super::{PATIENCE, bridge};

async fn opened() -> (Raw, Raw) {
    opened_as(V1, V2).await
}

/// Plays a turn, and returns the updates that the client gets.
async fn turn(client: &mut Raw, agent: &mut Raw, updates: &[Value]) -> Vec<Value> {
    let script = async {
        agent.answer("session/prompt", json!({"messageId": "m1"})).await;
        agent.update(json!({"sessionUpdate": "user_message", "messageId": "m1", "content": [{"type": "text", "text": "go"}]})).await;
        agent.update(json!({"sessionUpdate": "state_update", "state": "running"})).await;
        for update in updates {
            agent.update(update.clone()).await;
        }
        agent
            .update(json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}))
            .await;
    };
    let params = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "go"}]});
    let ((), mut read) = tokio::join!(script, client.request(3, "session/prompt", params));
    let answer = read.pop().expect("is there");
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    read.into_iter().map(|message| message["params"]["update"].clone()).collect()
}

fn texts(update: &Value) -> Vec<&str> {
    update["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item["content"]["text"].as_str())
        .collect()
}

#[tokio::test]
async fn words_of_version_2_become_those_of_version_1() {
    let (mut client, mut agent) = opened().await;
    let patch = "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-one\n+```\n";
    let seen = turn(&mut client, &mut agent, &[
        json!({"sessionUpdate": "brand_new", "x": 1}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Edit", "kind": "_own", "status": "in_progress"}),
        json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": {"type": "content", "content": {"type": "text", "text": "one"}}}),
        json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": {"type": "diff",
            "changes": [{"operation": "modify", "path": "/w/a", "fileType": "text"}], "patch": {"format": "git_patch", "text": patch}}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "paused"}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "cancelled"}),
    ]).await;
    let kinds: Vec<_> =
        seen.iter().map(|update| update["sessionUpdate"].as_str().unwrap_or_default()).collect();
    assert_eq!(
        kinds,
        ["tool_call", "tool_call_update", "tool_call_update", "tool_call_update", "tool_call_update"],
        "{seen:#?}"
    );
    assert_eq!(
        (seen[0]["title"].as_str(), seen[0]["kind"].as_str().unwrap_or("other")),
        (Some("Edit"), "other")
    );
    assert_eq!(texts(&seen[1]), ["one"]);
    assert_eq!(texts(&seen[2]), ["one", &format!("````diff\n{patch}````")]);
    assert_eq!((&seen[3]["status"], &seen[4]["status"]), (&json!("in_progress"), &json!("failed")));
}

#[tokio::test]
async fn terminals_of_the_agent_become_text() {
    let (mut client, mut agent) = opened().await;
    let seen = turn(&mut client, &mut agent, &[
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Run", "content": [{"type": "terminal", "terminalId": "x"}]}),
        json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "ls", "cwd": "/w"}),
        // `a`, an escape sequence, `b`.
        json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": "YRtbMzFtYg=="}),
        json!({"sessionUpdate": "terminal_update", "terminalId": "x", "exitStatus": {"exitCode": 3}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}),
    ]).await;
    assert!(
        seen.iter()
            .all(|update| update["sessionUpdate"].as_str().is_some_and(|kind| kind.starts_with("tool_call"))),
        "{seen:#?}"
    );
    let last = seen.iter().rev().find(|update| update.get("content").is_some()).expect("there is one");
    assert_eq!(texts(last), ["ab\n[exit status 3]"], "{seen:#?}");
    assert_eq!(seen.last().expect("there is one")["status"], "completed");
}

#[tokio::test]
async fn a_message_that_is_replaced_is_said_again_only_if_it_is_another_one() {
    let (mut client, mut agent) = opened().await;
    let say = |text: &str| json!({"sessionUpdate": "agent_message_chunk", "messageId": "a", "content": {"type": "text", "text": text}});
    let whole = |text: &str| json!({"sessionUpdate": "agent_message", "messageId": "a", "content": [{"type": "text", "text": text}]});
    let seen = turn(&mut client, &mut agent, &[say("on"), say("e"), whole("one"), whole("two")]).await;
    let said: Vec<_> = seen
        .iter()
        .map(|update| (update["messageId"].as_str(), update["content"]["text"].as_str()))
        .collect();
    assert_eq!(said.len(), 3, "{seen:#?}");
    assert_eq!((said[0], said[1]), ((Some("a"), Some("on")), (Some("a"), Some("e"))));
    assert!(said[2].0 != Some("a") && said[2].1 == Some("two"), "{said:?}");
}

#[tokio::test]
async fn words_that_version_1_does_not_have_are_reported_once() {
    let (told, mut faults) = tokio::sync::mpsc::unbounded_channel();
    let (mut client, mut agent) = opened_by(V1, V2, json!({}), |bridge| {
        bridge.on_fault(move |fault| drop(told.send(fault.to_string())))
    })
    .await;
    let work = json!([{"type": "tool_call", "toolCallId": "w"}]);
    let running = json!({"sessionUpdate": "state_update", "state": "running", "background": work});
    let plan = |id: &str| json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": id, "entries": []}});
    let whole = |text: &str| json!({"sessionUpdate": "agent_message", "messageId": "a", "content": [{"type": "text", "text": text}]});
    let diff = json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": {"type": "diff",
        "changes": [{"operation": "modify", "path": "/w/a", "fileType": "text"}]}});
    let own =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Edit", "kind": "_own"});
    let terminal = json!({"sessionUpdate": "terminal_update", "terminalId": "x", "command": "ls"});
    let new = json!({"sessionUpdate": "brand_new"});
    let begun = json!({"sessionUpdate": "tool_call_update", "toolCallId": "w", "title": "Index", "status": "in_progress"});
    let seen = turn(
        &mut client,
        &mut agent,
        &[
            begun,
            running.clone(),
            running,
            plan("a"),
            plan("b"),
            plan("b"),
            whole("one"),
            whole("two"),
            whole("three"),
            own.clone(),
            own,
            diff.clone(),
            diff,
            terminal.clone(),
            terminal,
            new.clone(),
            new,
        ],
    )
    .await;
    // No list of the work comes, but the work itself.
    assert!(seen.iter().all(|update| update["sessionUpdate"] != "state_update"), "{seen:#?}");
    agent.update(json!({"sessionUpdate": "state_update", "state": "idle", "background": work})).await;
    agent
        .update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "w", "status": "completed"}))
        .await;
    agent.update(json!({"sessionUpdate": "state_update", "state": "idle", "background": []})).await;
    let later = client.until(|message| message["params"]["update"]["status"] == "completed").await;
    assert_eq!(later.len(), 1, "{later:#?}");
    assert_eq!(later[0]["params"]["update"]["toolCallId"], "w");
    drop((client, agent));
    let mut reported = Vec::new();
    // The bridge is over when nobody can report any more.
    while let Some(fault) = tokio::time::timeout(PATIENCE, faults.recv()).await.expect("the bridge ends") {
        if let Some((_, what)) = fault.split_once("does not take ") {
            assert!(what.contains("(session `s`)"), "{what}");
            reported.push(what.split(" (session").next().unwrap_or_default().to_owned());
        }
    }
    reported.sort();
    assert_eq!(
        reported,
        [
            "a kind or status of a tool call of the agent's own",
            "a message that is replaced",
            "a terminal of the agent",
            "an update of another version",
            "changes of files without their texts",
            "several plans",
            "the list of background work",
        ]
    );
}

#[tokio::test]
async fn a_second_bridge_changes_nothing_for_a_scripted_agent() {
    let (mut agent, transport) = Raw::pair();
    let inner = bridge(ProtocolVersion::V1, transport);
    let outer = bridge(ProtocolVersion::V2, inner);
    let (client, ()) = tokio::join!(acp_client::connect(outer), async {
        agent
            .answer(
                "initialize",
                json!({"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"},
            "agentCapabilities": {"_meta": {"acme.dev/undo": true}}}),
            )
            .await;
    });
    let client = client.expect("it answers");
    assert_eq!(client.info().map(|info| info.name.as_str()), Some("a"));
    let meta = client.capabilities().meta.as_ref().and_then(|meta| meta.get("acme.dev/undo"));
    assert!(meta.is_some());
}
