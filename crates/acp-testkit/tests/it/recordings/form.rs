//! The form of a recording: its JSON Schema stands in the documentation.

use std::time::SystemTime;

use acp_rpc::tap::{Direction, Record, Redaction};
use serde_json::{Value, json};

fn schema() -> jsonschema::Validator {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recording.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn every_kind_of_record_is_valid_and_is_read_again() {
    let schema = schema();
    let (mut text, time) = (Vec::new(), SystemTime::now());
    Record::Start { time, version: Record::VERSION }.write(&mut text);
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"token":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":"q","method":"a","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"b"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
        r#"[{"jsonrpc":"2.0","method":"b"}]"#,
        "7",
        "plain text",
    ] {
        for redaction in [None, Some(&Redaction::default())] {
            for direction in [Direction::In, Direction::Out] {
                Record::write_line(&mut text, time, direction, line.as_bytes(), redaction);
            }
        }
    }
    Record::write_oversized(&mut text, time, Direction::Out, 1 << 40);
    Record::Dropped { time, count: 3 }.write(&mut text);
    Record::End { time, reason: "it said \"no\"\n".to_owned() }.write(&mut text);
    let text = String::from_utf8(text).unwrap();
    let mut again = Vec::new();
    for record in acp_rpc::tap::Recording::new(text.as_bytes()) {
        record.unwrap().write(&mut again);
    }
    assert_eq!(String::from_utf8(again).unwrap(), text);
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&record), "{line}");
    }
}

#[test]
fn other_records_are_not_valid() {
    let schema = schema();
    let line = json!({"time": 1, "direction": "in", "kind": "result", "id": 1, "bytes": 5, "body": {}});
    assert!(schema.is_valid(&line));
    for (member, value) in [
        ("time", json!("now")),
        ("direction", json!("up")),
        ("kind", json!("answer")),
        ("bytes", json!(-1)),
        ("id", json!([])),
        ("kind", json!("error")),
        ("kind", json!("dropped")),
        ("kind", json!("start")),
    ] {
        let mut other = line.clone();
        other[member] = value;
        assert!(!schema.is_valid(&other), "{other}");
    }
}
