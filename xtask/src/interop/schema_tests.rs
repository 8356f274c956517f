//! Our messages are held against the schema of the version that was agreed on.

use serde_json::{Value, json};

use super::schema::{Part, check};
use super::wire::{Side, Wire};

fn conversation(version: u64) -> Vec<(&'static str, Value)> {
    let asked = json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"}});
    let answer = match version {
        1 => json!({"protocolVersion": 1}),
        _ => json!({"protocolVersion": 2, "info": {"name": "a", "version": "1"}}),
    };
    let new = if version == 1 { json!({"cwd": "/", "mcpServers": []}) } else { json!({"cwd": "/"}) };
    vec![
        ("c2a", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": asked})),
        ("a2c", json!({"jsonrpc": "2.0", "id": 0, "result": answer})),
        ("c2a", json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": new})),
        ("a2c", json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}})),
        ("c2a", json!({"jsonrpc": "2.0", "id": 2, "method": "_example.com/any", "params": 7})),
        ("a2c", json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32601, "message": "no"}})),
        // The two sides count for themselves.
        ("a2c", json!({"jsonrpc": "2.0", "id": 0, "method": "_example.com/any"})),
        ("c2a", json!({"jsonrpc": "2.0", "id": 0, "result": 7})),
    ]
}

fn verdict(messages: &[(&'static str, Value)]) -> String {
    let entry = |(dir, json): &(&str, Value)| json!({"dir": dir, "line": json.to_string()}).to_string();
    let lines: Vec<String> = messages.iter().map(entry).collect();
    let wire = Wire::parse(&lines.join("\n"), None).unwrap();
    let checked = [Side::Client, Side::Agent].map(|side| check(&wire, side, Part::Stable));
    let wrong: Vec<String> =
        checked.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    wrong.join("; ")
}

#[track_caller]
fn refused(version: u64, change: impl FnOnce(&mut Vec<(&'static str, Value)>), wanted: &str) {
    let mut messages = conversation(version);
    change(&mut messages);
    let verdict = verdict(&messages);
    assert!(verdict.contains(wanted), "{verdict:?} does not contain {wanted:?}");
}

#[test]
fn right_messages_of_both_versions_pass() {
    assert_eq!(verdict(&conversation(1)), "");
    assert_eq!(verdict(&conversation(2)), "");
}

#[test]
fn a_message_of_the_other_version_is_refused() {
    refused(1, |all| all[2] = conversation(2)[2].clone(), "as schema v1 has it");
    refused(
        2,
        |all| all[1].1["result"].as_object_mut().unwrap().retain(|name, _| name != "info"),
        "schema v2",
    );
    let load = json!({"sessionId": "s", "cwd": "/", "mcpServers": []});
    let load = json!({"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": load});
    refused(2, |all| all.push(("c2a", load)), "the agent has no method `session/load`");
}

#[test]
fn every_part_of_a_message_is_held_against_the_schema() {
    refused(2, |all| all[3].1["result"] = json!({}), "NewSessionResponse");
    refused(2, |all| all[5].1["error"] = json!({"code": "no"}), "Error");
    refused(2, |all| all[4].1["session"] = json!(1), "unknown member");
    refused(2, |all| all[2].1["params"] = Value::Null, "NewSessionRequest");
    refused(1, |all| drop(all.remove(2)), "an answer to nothing");
}
