//! Scripts from recordings: each side plays against the other, whose ids are others.

use acp_rpc::tap::{Recording, RecordingError};
use acp_testkit::ScriptedPeer;
use acp_testkit::mock::{Form, Mock, RecordedError, Side};
use serde_json::{Value, json};
use tokio::io::duplex;

/// A turn as its client has recorded it. The two requests of the agent overlap.
fn turn() -> Vec<(&'static str, Value)> {
    let request = |id: Value, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let notify = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let result = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let init = json!({"protocolVersion": 1, "clientCapabilities": {"terminal": true}, "clientInfo": {}});
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "call_77", "title": "it's ${x}"});
    let ask = json!({"sessionId": "5f-a", "toolCall": {"toolCallId": "call_77"}, "options": []});
    vec![
        ("out", request(0.into(), "initialize", init)),
        ("in", result(0.into(), json!({"protocolVersion": 1, "agentInfo": {"name": "a"}}))),
        ("out", request(1.into(), "session/new", json!({"cwd": "/home/me", "mcpServers": []}))),
        ("in", result(1.into(), json!({"sessionId": "5f-a", "_meta": {"secret": "[redacted]"}}))),
        ("out", request(2.into(), "session/prompt", json!({"sessionId": "5f-a", "prompt": []}))),
        ("in", notify("session/update", json!({"sessionId": "5f-a", "update": call}))),
        ("in", request("q".into(), "terminal/create", json!({"sessionId": "5f-a", "command": "make"}))),
        ("in", request("p".into(), "session/request_permission", ask)),
        ("out", result("q".into(), json!({"terminalId": "T9"}))),
        ("in", request("r".into(), "terminal/output", json!({"sessionId": "5f-a", "terminalId": "T9"}))),
        ("out", result("r".into(), json!({"output": "", "truncated": false}))),
        ("in", notify("$/cancel_request", json!({"requestId": "p"}))),
        ("out", json!({"jsonrpc": "2.0", "id": "p", "error": {"code": -32800, "message": "gone"}})),
        ("in", result(2.into(), json!({"stopReason": "end_turn"}))),
    ]
}

/// Writes a recording as a recorder does.
fn recording(lines: &[(&str, Value)]) -> Vec<u8> {
    let mut text = String::new();
    for (direction, body) in lines {
        let kind = match (body.get("method"), body.get("id"), body.get("error")) {
            (Some(_), Some(_), _) => "request",
            (Some(_), None, _) => "notification",
            (None, _, None) => "result",
            (None, _, Some(_)) => "error",
        };
        let mut record = json!({
            "time": 1, "direction": direction, "kind": kind, "bytes": body.to_string().len(), "body": body,
        });
        for (name, value) in
            [("method", body.get("method")), ("id", body.get("id")), ("code", body.pointer("/error/code"))]
        {
            if let Some(value) = value {
                record[name] = value.clone();
            }
        }
        text.push_str(&format!("{record}\n"));
    }
    text.into_bytes()
}

fn script(recorded: &[u8], side: Side) -> Result<String, RecordedError> {
    Mock::script_from(Recording::new(recorded), side)
}

fn side(lines: &[(&str, Value)], side: Side) -> Mock {
    let text = script(&recording(lines), side).unwrap();
    Mock::parse(&text, Form::Toml, side).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Lets both sides play against each other.
async fn both(agent: Mock, client: Mock) -> (usize, usize) {
    let (here, there) = duplex(64 * 1024);
    let agent = tokio::spawn(agent.play(ScriptedPeer::from_stream(there)));
    let client = client.play(ScriptedPeer::from_stream(here)).await.unwrap_or_else(|error| panic!("{error}"));
    let agent = agent.await.unwrap().unwrap_or_else(|error| panic!("{error}"));
    (agent.lines().len(), client.lines().len())
}

#[tokio::test]
async fn both_sides_of_a_recording_play_together_whatever_their_ids() {
    let recorded = turn();
    let other: Vec<_> = turn()
        .into_iter()
        .map(|(direction, body)| {
            let text = body.to_string();
            let text = text.replace("5f-a", "zz").replace("call_77", "c").replace("T9", "term");
            // The numbers of requests are others, too.
            let text = text.replace("\"id\":\"q\"", "\"id\":7").replace("\"id\":\"p\"", "\"id\":8");
            let text = text.replace("\"requestId\":\"p\"", "\"requestId\":8");
            (direction, serde_json::from_str(&text).unwrap())
        })
        .collect();
    for (agent, client) in [(&recorded, &recorded), (&recorded, &other), (&other, &recorded)] {
        let lines = both(side(agent, Side::Agent), side(client, Side::Client)).await;
        assert_eq!(lines, (14, 14));
    }
}

#[test]
fn ids_are_normalised_and_folders_are_free() {
    let text = script(&recording(&turn()), Side::Agent).unwrap();
    for part in [
        "\n[[step]]\nexpect = 'initialize'\nparams = '{\"protocolVersion\":1}'\n",
        "\"cwd\":\"${_}\"",
        // The order of members is that of `serde_json`, which depends on its features.
        "\"_meta\":{\"secret\":\"[redacted]\"}",
        "\"sessionId\":\"session-1\"",
        // An apostrophe does not fit in a literal string, and `${x}` is not a placeholder here.
        "it's $${x}",
        "\"toolCallId\":\"toolCall-1\"",
        "\"terminalId\":\"${terminal-1}\"",
        "params = '{\"requestId\":\"${request-8}\"}'\n",
        "[[step]]\nerror = '-32800'\nof = 'request-8'\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("5f-a") && !text.contains("clientInfo"), "{text}");
    let text = script(&recording(&turn()), Side::Client).unwrap();
    for part in ["result = '{\"sessionId\":\"${session-1}\"}'\n", "\"clientInfo\":{}", "\"cwd\":\"/home/me\""]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_recording_that_cannot_be_played_says_why() {
    let none = script(&recording(&turn()[1..]), Side::Agent).unwrap_err();
    assert!(matches!(none, RecordedError::NoInitialize), "{none}");
    let mut gap = recording(&turn());
    gap.extend_from_slice(b"{\"time\":1,\"kind\":\"dropped\",\"count\":3}\n");
    assert!(matches!(script(&gap, Side::Agent).unwrap_err(), RecordedError::Gap { count: 3 }));
    let broken = script(b"{}\n", Side::Agent).unwrap_err();
    assert!(
        matches!(broken, RecordedError::Recording(RecordingError::Malformed { line: 1, .. })),
        "{broken}"
    );
    let withheld = String::from_utf8(recording(&turn()[..2])).unwrap().replace("\"body\":", "\"gone\":");
    assert!(matches!(
        script(withheld.as_bytes(), Side::Agent).unwrap_err(),
        RecordedError::NoBody { record: 2 }
    ));
    assert!(
        script(withheld.as_bytes(), Side::Client).unwrap_err().to_string().contains("record 1 has no `body`")
    );
    // Noise of the own side is sent as it was, and that of the other side is not expected.
    let noise = r#"{"time":1,"direction":"in","kind":"not_json","bytes":2,"body":"hi ${x}"}"#;
    let mut noisy = recording(&turn());
    noisy.extend_from_slice(noise.as_bytes());
    let text = script(&noisy, Side::Agent).unwrap();
    assert!(text.ends_with("\n[[step]]\nraw = \"\"\"\nhi ${x}\n\"\"\"\n"), "{text}");
    assert_eq!(script(&noisy, Side::Client).unwrap(), script(&recording(&turn()), Side::Client).unwrap());
}
