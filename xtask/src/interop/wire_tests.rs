//! The recorded conversation is judged: a right one passes, and each kind of wrong one is named.

use serde_json::{Value, json};

use super::wire::Wire;

const EXIT: &str = r#"{"code":0,"afterInputClosed":true,"killed":false}"#;

/// A turn with an update and a permission request, as both sides should behave.
fn conversation() -> Vec<(&'static str, Value)> {
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}});
    let options = json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]);
    let chosen = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
    vec![
        ("c2a", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}})),
        ("a2c", json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}})),
        ("c2a", json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {}})),
        ("a2c", json!({"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}})),
        (
            "a2c",
            json!({"jsonrpc": "2.0", "id": 0, "method": "session/request_permission",
            "params": {"options": options}}),
        ),
        ("c2a", json!({"jsonrpc": "2.0", "id": 0, "result": chosen})),
        ("a2c", json!({"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}})),
    ]
}

fn verdict(messages: &[(&'static str, Value)], exit: Option<&str>) -> String {
    let entry =
        |(dir, json): &(&str, Value)| json!({"t": 0.0, "dir": dir, "line": json.to_string()}).to_string();
    let lines: Vec<String> = messages.iter().map(entry).collect();
    let wire = Wire::parse(&lines.join("\n"), exit);
    wire.and_then(|wire| wire.check()).map_or_else(|error| format!("{error:#}"), |()| "right".into())
}

#[track_caller]
fn check(change: impl FnOnce(&mut Vec<(&'static str, Value)>), wanted: &str) {
    let mut messages = conversation();
    change(&mut messages);
    let verdict = verdict(&messages, Some(EXIT));
    assert!(verdict.contains(wanted), "{verdict:?} does not contain {wanted:?}");
}

#[test]
fn a_right_conversation_passes() {
    check(|_| {}, "right");
}

#[test]
fn every_kind_of_wrong_message_is_named() {
    check(|all| drop(all.remove(0)), "the first message is not initialize");
    check(|all| all.swap(3, 6), "an update outside of a turn");
    check(|all| drop(all.pop()), "request 1 of the client was never answered");
    check(|all| drop(all.remove(5)), "request 0 of the agent was never answered");
    check(|all| all.push(all[6].clone()), "an answer to no open request");
    check(|all| all[2].1["id"] = json!(0), "id used twice");
    check(|all| all[5].1["result"]["outcome"]["optionId"] = json!("other"), "names no offered option");
    check(|all| all[5].1["result"] = json!({"outcome": {"outcome": "cancelled"}}), "in a turn that was not");
    check(|all| all[5].1["result"] = json!({"outcome": "selected"}), "unknown shape");
    check(|all| all[3].1["jsonrpc"] = json!("1.0"), "the agent sent no JSON-RPC 2.0");
    check(|all| all[3].1 = json!("log text"), "the agent sent no JSON-RPC 2.0");
}

#[test]
fn a_subscription_of_mcp_may_be_open_to_the_end() {
    let asks = |method: &str| {
        let message =
            json!({"jsonrpc": "2.0", "id": 9, "method": "mcp/message", "params": {"method": method}});
        ("a2c", message)
    };
    check(|all| all.push(asks("subscriptions/listen")), "right");
    check(|all| all.push(asks("tools/list")), "request 9 of the agent was never answered");
    check(
        |all| {
            let answer = ("c2a", json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
            all.extend([asks("subscriptions/listen"), answer.clone(), answer]);
        },
        "an answer to no open request",
    );
}

#[test]
fn ids_of_the_two_sides_are_told_apart_and_their_types_too() {
    check(|all| all[6].1["id"] = json!("1"), "an answer to no open request");
}

#[test]
fn the_agent_must_leave_by_itself() {
    let messages = conversation();
    let verdict = |exit| verdict(&messages, exit);
    assert!(verdict(None).contains("ended by force"));
    let killed = r#"{"code":null,"afterInputClosed":true,"killed":true}"#;
    assert!(verdict(Some(killed)).contains("ran on after its input was closed"));
    assert!(verdict(Some(r#"{"code":3,"afterInputClosed":true,"killed":false}"#)).contains("ended with"));
}
