//! Recordings become traces of the official SDK, and traces become recordings.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::{entries, file_in, text};

fn acp(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_acp")).args(args).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A trace as the conductor of the official SDK writes it, with a proxy.
const TRACE: &str = r#"{"type":"request","ts":0.000125,"protocol":"acp","from":"Client","to":"Proxy(0)","id":"a","method":"initialize","params":{"protocolVersion":1}}
{"type":"request","ts":0.25,"protocol":"acp","from":"Proxy(0)","to":"Agent","id":"b","method":"initialize","params":{"protocolVersion":1}}
{"type":"response","ts":0.5,"from":"Agent","to":"Proxy(0)","id":"b","is_error":false,"payload":{"protocolVersion":1}}
{"type":"response","ts":0.75,"from":"Proxy(0)","to":"Client","id":"a","is_error":false,"payload":{"protocolVersion":1}}
{"type":"request","ts":1.0,"protocol":"mcp","from":"Proxy(0)","to":"Client","id":7,"method":"tools/list","params":null}
{"type":"response","ts":1.25,"from":"Client","to":"Proxy(0)","id":7,"is_error":true,"payload":{"code":-32601,"message":"no"}}
{"type":"notification","ts":1.5,"protocol":"acp","from":"Proxy(0)","to":"Client","method":"session/update","session":"s","params":{"sessionId":"s"}}
"#;

#[test]
fn a_turn_goes_to_a_trace_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let [(file, first), (trace, traced), (_, back), (again, again_name)] =
        ["r.ndjson", "r.jsons", "back.ndjson", "again.jsons"].map(|name| file_in(&folder, name));
    let demo = env!("CARGO_BIN_EXE_acp");
    let (code, _, problem) =
        acp(&["prompt", "hello", "--", demo, "tap", "--to", &first, "--", demo, "demo-agent"]);
    assert_eq!(code, Some(0), "{problem}");
    let (code, _, problem) = acp(&["tap", "--convert", &first, "--to", &traced]);
    assert_eq!((code, problem.as_str()), (Some(0), ""));
    let events: Vec<Value> =
        text(&trace).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events.len(), entries(&file).len());
    let request = &events[0];
    assert_eq!((&request["type"], &request["protocol"]), (&"request".into(), &"acp".into()));
    assert_eq!(
        (&request["from"], &request["to"], &request["method"]),
        (&"Client".into(), &"Agent".into(), &"initialize".into())
    );
    assert!(
        request["ts"] == 0.0 && request["params"]["protocolVersion"] == 1 && request.get("session").is_none()
    );
    let answer = events.iter().find(|event| event["type"] == "response").expect("an answer");
    assert_eq!(
        (&answer["is_error"], &answer["from"], &answer["id"]),
        (&false.into(), &"Agent".into(), &request["id"])
    );
    assert!(answer["payload"]["protocolVersion"] == 1);

    let (code, _, problem) = acp(&["tap", "--convert", &traced, "--to", &back]);
    assert_eq!((code, problem.as_str()), (Some(0), ""));
    let (code, out, _) = acp(&["diff", &first, &back]);
    assert_eq!(code, Some(0), "{out}");
    acp(&["tap", "--convert", &back, "--to", &again_name]);
    assert_eq!(text(&trace), text(&again));
}

#[test]
fn the_connection_of_the_client_is_taken_from_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, name) = file_in(&folder, "r.jsons");
    fs::write(&trace, TRACE).expect("written");
    let (code, out, problem) = acp(&["tap", "--convert", &name]);
    assert_eq!((code, problem.contains("2 lines have no place")), (Some(0), true), "{problem}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let short: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {}", line["time"], line["direction"], line["kind"]).replace('"', ""))
        .collect();
    let expected = [
        "125 out request",
        "750000 in result",
        "1000000 in request",
        "1250000 out error",
        "1500000 in notification",
    ];
    assert_eq!(short, expected);
    assert_eq!(
        (&lines[2]["method"], &lines[2]["body"]["params"]["method"]),
        (&"mcp/message".into(), &"tools/list".into())
    );
    // The MCP message is one again.
    let (file, recorded) = file_in(&folder, "r.ndjson");
    fs::write(&file, out).expect("written");
    let (_, out, _) = acp(&["tap", "--convert", &recorded]);
    assert!(out.contains(r#""protocol":"mcp","id":7,"method":"tools/list","params":null"#), "{out}");
}

#[test]
fn a_file_of_another_form_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, name) = file_in(&folder, "r.ndjson");
    for (text, form, problem) in [
        ("{}", "trace", "line 1 of the recording is not a record"),
        ("{}", "recording", "line 1 of the trace is not an event: `from` and `to` must be strings"),
        (
            r#"{"from":"a","to":"b","ts":1,"type":"x"}"#,
            "recording",
            "`type` must be request, response or notification",
        ),
        (r#"{"from":"a","to":"b","ts":-1,"type":"x"}"#, "recording", "`ts` must be a number of seconds"),
        (r#"{"time":1,"kind":"start","version":2}"#, "trace", "its form is newer than this program"),
    ] {
        fs::write(&file, text).expect("written");
        let (code, _, told) = acp(&["tap", "--convert", &name, "--format", form]);
        assert_eq!(code, Some(1));
        assert!(told.contains("r.ndjson") && told.contains(problem), "{told}");
    }
}
