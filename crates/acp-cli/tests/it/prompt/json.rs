//! `acp prompt --json`: each line against the published schema, in both versions of the protocol.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{AGENT, OPEN, acp, beside_session};

/// Returns the lines of a run, each judged by the schema that the program prints.
pub(super) fn lines(out: &str) -> Vec<Value> {
    let schema = Command::new(env!("CARGO_BIN_EXE_acp")).args(["prompt", "--schema"]).output();
    let schema: Value = serde_json::from_slice(&schema.expect("acp runs").stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect();
    for (index, line) in lines.iter().enumerate() {
        let faults: Vec<_> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{line}: {faults:?}");
        assert_eq!(line["sequence"], index);
    }
    let ends = lines.iter().filter(|line| line["type"] == "result" || line["type"] == "error").count();
    assert_eq!(ends, 1, "{out}");
    lines
}

fn run(options: &[&str], script: &str) -> (Option<i32>, Vec<Value>, String) {
    let mut command = acp(&[&["--json"], options].concat(), script);
    let output = command.output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), lines(&text(output.stdout)), beside_session(&text(output.stderr)))
}

fn types(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter_map(|line| line["type"].as_str()).collect()
}

#[test]
fn each_event_is_a_line_that_fits_the_schema() {
    let script = r#"take; prompt=$id
        say 'I will '
        update '{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"pending"}]}'
        update '{"sessionUpdate":"tool_call","toolCallId":"c","title":"Edit","kind":"edit"}'
        update '{"sessionUpdate":"brand_new","x":1}'
        permission; id=$prompt; give '{"stopReason":"end_turn","_meta":{"a":1}}'; take"#;
    let (code, lines, err) = run(&["--allow", "once"], script);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let kinds = ["session", "update", "update", "update", "update", "notice", "permission", "result"];
    assert_eq!(types(&lines), kinds, "{lines:?}");
    let request = &lines[7]["request"];
    assert!(request.is_i64() && lines[0]["request"].is_null(), "{lines:?}");
    assert!(lines.iter().all(|line| line["session"] == "s1" && line["version"] == 1));
    assert!(lines[1..].iter().all(|line| line["request"] == *request), "{lines:?}");
    assert_eq!(lines[0]["modes"]["currentModeId"], "a");
    let said =
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "I will "}});
    assert_eq!(lines[1]["update"], said);
    assert_eq!(lines[4]["update"], json!({"sessionUpdate": "brand_new", "x": 1}));
    assert_eq!(lines[6]["toolCall"]["title"], "Write notes");
    assert_eq!(lines[6]["outcome"], json!({"outcome": "selected", "optionId": "yes"}));
    assert_eq!((&lines[7]["stopReason"], &lines[7]["exitCode"]), (&json!("end_turn"), &json!(0)));
    assert_eq!(lines[7]["response"]["_meta"], json!({"a": 1}));
}

#[test]
fn the_request_is_that_of_the_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wire.ndjson");
    let record = ["--record", file.to_str().expect("UTF-8")];
    let (_, lines, _) = run(&record, r#"take; give '{"stopReason":"end_turn"}'; take"#);
    let recorded = std::fs::read_to_string(&file).expect("recorded");
    let prompt = recorded.lines().find(|line| line.contains("session/prompt")).expect("a prompt");
    assert!(prompt.contains(&format!("\"id\":{}", lines[1]["request"])), "{prompt} {lines:?}");
}

#[test]
fn each_end_of_a_run_is_a_line() {
    for (options, script, code, kind) in [
        (&[][..], r#"take; give '{"stopReason":"refusal"}'; take"#, 3, "result"),
        (&[], r#"take; give '{"stopReason":"max_tokens"}'; take"#, 4, "result"),
        (&[], "take; exit 9", 1, "error"),
        (&["--mode", "z"], "take", 1, "error"),
        (&["--session", "s1"], "take", 1, "error"),
        (&["--idle-timeout", "0.5"], "take; take; exit", 1, "error"),
    ] {
        let (got, lines, err) = run(options, script);
        let last = lines.last().expect("a line");
        assert_eq!(
            (got, &last["type"], &last["exitCode"]),
            (Some(code), &json!(kind), &json!(code)),
            "{err}"
        );
    }
    let refuse = r#"take; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no","data":{"a":1}}}\n' "$id"; take"#;
    let (_, lines, _) = run(&[], refuse);
    let last = lines.last().expect("a line");
    assert_eq!((&last["code"], &last["data"]), (&json!(-32603), &json!({"a": 1})));
    // An agent that never answers, one that cannot be started, and one that is never started.
    for (agent, limit, code) in [("read -r _; read -r _", "0.3", 124), ("exit 3", "60", 1)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "hello", "--json", "--init-timeout", limit, "--", "sh", "-c", agent]);
        let output = command.stdin(Stdio::null()).output().expect("acp runs");
        let lines = lines_of(&output.stdout);
        assert_eq!((output.status.code(), types(&lines)), (Some(code), vec!["error"]));
        assert_eq!((&lines[0]["session"], &lines[0]["exitCode"]), (&Value::Null, &json!(code)));
    }
}

fn lines_of(out: &[u8]) -> Vec<Value> {
    lines(std::str::from_utf8(out).expect("UTF-8"))
}

#[test]
fn hostile_text_is_inert_and_whole() {
    let script = r#"take; say 'a\u001b[31m\u202eb\u200b\u009b1m'; give '{"stopReason":"end_turn"}'; take"#;
    let output = acp(&["--json"], script).output().expect("acp runs");
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(out.chars().all(|char| char == '\n' || !acp_client::sanitize::deceives(char)), "{out:?}");
    let text = "a\u{1b}[31m\u{202e}b\u{200b}\u{9b}1m";
    assert_eq!(lines(&out)[1]["update"]["content"]["text"], text);
}

#[test]
fn a_huge_answer_is_one_line() {
    let script = r#"take; text=$(head -c 3000000 /dev/zero | tr '\0' x); say "$text"; give '{"stopReason":"end_turn"}'; take"#;
    let (code, lines, err) = run(&[], script);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(lines[1]["update"]["content"]["text"].as_str().map(str::len), Some(3_000_000));
}

#[test]
fn a_signal_cancels_and_the_lines_say_so() {
    let script = r#"take; prompt=$id; say 'working'; read -r line; id=$prompt; give '{"stopReason":"cancelled"}'; take"#;
    let mut acp = acp(&["--json"], script).stdout(Stdio::piped()).spawn().expect("acp runs");
    let mut out = BufReader::new(acp.stdout.take().expect("a pipe"));
    let mut seen = String::new();
    while !seen.contains("working") {
        assert_ne!(out.read_line(&mut seen).expect("output"), 0, "{seen}");
    }
    let killed = Command::new("kill").args(["-INT", acp.id().to_string().as_str()]).status();
    assert!(killed.expect("kill runs").success());
    out.read_to_string(&mut seen).expect("output");
    assert_eq!(acp.wait().expect("it ends").code(), Some(130));
    let lines = lines(&seen);
    assert_eq!(types(&lines), ["session", "update", "notice", "result"], "{seen}");
    assert_eq!((&lines[3]["stopReason"], &lines[3]["exitCode"]), (&json!("cancelled"), &json!(130)));
}

/// A turn of version 2, with everything that only that version has.
const SECOND: &str = r#"
take; give '{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}'
take; give '{"sessionId":"s1"}'
take; give '{"messageId":"m1"}'
update '{"sessionUpdate":"state_update","state":"running"}'
update '{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"whole"}]}'
update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","status":"in_progress"}'
update '{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"x"}}}'
update '{"sessionUpdate":"terminal_update","terminalId":"t1","command":"make","cwd":null}'
update '{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"bWFk"}'
update '{"sessionUpdate":"terminal_update","terminalId":"t1","exitStatus":{"exitCode":-1}}'
update '{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p1","entries":[]}}'
update '{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p2","entries":[]}}'
update '{"sessionUpdate":"plan_removed","planId":"p2"}'
update '{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}'
take
"#;

#[test]
fn version_2_has_its_own_updates() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--json", "--protocol", "2", "--timeout", "60", "--", "sh", "-c"]);
    let output = command.arg(format!("{AGENT}{SECOND}")).stdin(Stdio::null()).output().expect("acp runs");
    let lines = lines_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{lines:?}");
    assert_eq!(lines[0]["protocolVersion"], 2);
    let update = |tag: &str| -> Vec<&Value> {
        lines.iter().map(|line| &line["update"]).filter(|update| update["sessionUpdate"] == tag).collect()
    };
    let whole = json!({"sessionUpdate": "agent_message", "messageId": "m2", "content": [{"type": "text", "text": "whole"}]});
    assert_eq!(update("agent_message"), [&whole]);
    let chunk = json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "t1", "data": "bWFk"});
    assert_eq!(update("terminal_output_chunk"), [&chunk]);
    let updates = update("terminal_update");
    let first =
        json!({"sessionUpdate": "terminal_update", "terminalId": "t1", "command": "make", "cwd": null});
    assert_eq!(*updates[0], first);
    assert_eq!(updates[1]["exitStatus"], json!({"exitCode": -1}));
    assert_eq!(update("tool_call_content_chunk").len(), 1);
    assert_eq!(update("plan_removed"), [&json!({"sessionUpdate": "plan_removed", "planId": "p2"})]);
    assert_eq!(update("state_update")[0]["state"], "running");
}

#[test]
fn lines_that_nobody_wants_any_more_end_a_run_silently() {
    let script = r#"take; text=$(printf '%010000d' 0); while :; do say "$text" || exit; done"#;
    let mut acp =
        acp(&["--json"], script).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut out = acp.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 100]).expect("output");
    drop(out);
    let output = acp.wait_with_output().expect("it ends");
    let err = beside_session(&String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), err.as_str()), (Some(141), ""));
}

#[test]
fn the_session_is_named_on_stderr() {
    let hostile = OPEN.replace("s1", "s\\u001b[31m\\n1");
    let script = format!("{AGENT}{hostile}take; give '{{\"stopReason\":\"end_turn\"}}'; take");
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--timeout", "60", "--", "sh", "-c", &script]);
    let output = command.stdin(Stdio::null()).output().expect("acp runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "session: s\u{fffd}[31m 1\n");
}
