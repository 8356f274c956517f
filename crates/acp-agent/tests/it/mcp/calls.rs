//! Calls of tools, as the client sees them.

use serde_json::{Value, json};

use crate::mcp::server::everything;
use crate::mcp::{Obedient, one, said};
use crate::support::check_error;

/// Returns the reports of a tool call without its id, and checks that they have one id.
fn of_call(updates: &[Value]) -> Vec<Value> {
    let id = &updates[0]["toolCallId"];
    assert!(id.is_string(), "{updates:?}");
    let reports = updates.iter().filter(|update| update.get("toolCallId").is_some()).map(|update| {
        let mut update = update.clone();
        assert_eq!(update["toolCallId"].take(), *id, "one call");
        update.as_object_mut().unwrap().remove("toolCallId");
        update
    });
    reports.collect()
}

fn texts(report: &Value) -> Vec<&str> {
    let content = report["content"].as_array().unwrap().iter();
    content.map(|item| item["content"]["text"].as_str().unwrap()).collect()
}

/// Rule `acp-mcp-08`.
#[tokio::test]
async fn a_call_is_reported_without_a_loss() {
    let (mut wire, session) = one(Obedient, json!({})).await;
    let (updates, _) = wire.turn(&session, r#"call one__all {"n": 1}"#).await;
    let reports = of_call(&updates);
    assert_eq!(
        reports[0],
        json!({
            "sessionUpdate": "tool_call", "title": "The all tool", "status": "in_progress", "rawInput": {"n": 1},
        })
    );
    let content: Vec<_> =
        reports[1]["content"].as_array().unwrap().iter().map(|item| &item["content"]).collect();
    assert_eq!(json!(content), everything()["content"]);
    assert_eq!((&reports[1]["status"], &reports[1]["rawOutput"]), (&json!("completed"), &everything()));
    assert_eq!(reports.len(), 2);
}

#[tokio::test]
async fn a_tool_that_fails_says_so_to_the_agent_and_the_client() {
    let (mut wire, session) = one(Obedient, json!({})).await;
    let (updates, answer) = wire.turn(&session, "call one__fail").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let reports = of_call(&updates);
    assert_eq!((&reports[1]["status"], texts(&reports[1])), (&json!("failed"), vec!["it broke"]));
    assert_eq!(updates[2]["content"]["text"], "true it broke");
}

#[tokio::test]
async fn an_error_of_the_server_fails_the_call() {
    let (mut wire, session) = one(Obedient, json!({})).await;
    let (updates, answer) = wire.turn(&session, "call one__refuse").await;
    check_error(&answer, -32603, &["`tools/call`", "-32602", "wrong arguments"]);
    let reports = of_call(&updates);
    assert_eq!(reports[1]["status"], "failed");
    assert!(texts(&reports[1])[0].contains("wrong arguments"), "{reports:?}");

    let (updates, answer) = wire.turn(&session, "call one__none").await;
    check_error(&answer, -32603, &["one__none"]);
    assert_eq!(updates, Vec::<Value>::new(), "nothing was begun");
    let (_, answer) = wire.turn(&session, "call one__echo [1]").await;
    check_error(&answer, -32603, &["one__echo", "object"]);
}

/// Progress is shown during the call. The end of the turn ends the call here and at the server.
#[tokio::test]
async fn progress_and_cancellation_are_those_of_the_turn() {
    let (mut wire, session) = one(Obedient, json!({})).await;
    let prompt = wire.prompt(&session, "call one__slow").await;
    assert_eq!(wire.update().await["status"], "in_progress");
    assert_eq!(texts(&wire.update().await), ["looking (1 of 4)"]);
    wire.cancel(&session).await;
    assert_eq!(wire.update().await["status"], "failed");
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    // The server gets the cancellation at some time.
    while !said(&mut wire, &session, "call one__heard").await.contains("notifications/cancelled") {}
}
