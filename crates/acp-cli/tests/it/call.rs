//! `acp call`: the check of its params, the call, and its answer, in both versions of the protocol.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::prompt::AGENT;

fn run(args: &[&str], stdin: &str, script: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("call").args(args).args(["--timeout", "60", "--", "sh", "-c"]);
    command
        .arg(format!("{AGENT}{script}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut acp = command.spawn().expect("acp runs");
    // A command that is refused does not read.
    let _ = acp.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
    let output = acp.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const FIRST: &str = r#"take; give '{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}'
"#;

const SECOND: &str = r#"take; give '{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}'
"#;

/// Answers a call with its own line.
const MIRROR: &str = r#"take; give "{\"got\":$line}"; take"#;

/// Returns the message that the agent got.
fn got(out: &str) -> Value {
    serde_json::from_str::<Value>(out).expect("JSON")["got"].clone()
}

#[test]
fn the_answer_is_shown() {
    for (version, open) in [("1", FIRST), ("2", SECOND)] {
        let script = format!("{open}{MIRROR}");
        for (args, stdin) in
            [(&["session/list", r#"{"cursor":"x"}"#][..], ""), (&["session/list", "-"], r#"{"cursor":"x"}"#)]
        {
            let (code, out, err) = run(&[args, &["--protocol", version]].concat(), stdin, &script);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
            assert_eq!(got(&out)["method"], "session/list");
            assert_eq!(got(&out)["params"], json!({"cursor": "x"}));
        }
    }
    let (code, out, _) = run(&["session/list"], "", &format!("{FIRST}{MIRROR}"));
    assert_eq!((code, &got(&out)["params"]), (Some(0), &json!({})), "params may be left out");
    let (_, out, _) = run(&["_my/method", r#"{"any":[1]}"#], "", &format!("{FIRST}{MIRROR}"));
    assert_eq!(got(&out)["params"], json!({"any": [1]}), "an extension");
}

#[test]
fn params_that_do_not_fit_are_not_sent() {
    let unsent = |open: &str| format!("{open}take && echo SENT >&2");
    for (version, open, method, params, faults) in [
        ("1", FIRST, "session/set_mode", r#"{"sessionId":"s"}"#, &["`modeId`: required, but missing"][..]),
        ("1", FIRST, "session/new", r#"{"cwd":7,"mcpServers":[]}"#, &["`cwd`: expected a string, found"]),
        (
            "1",
            FIRST,
            "session/prompt",
            r#"{"sessionId":"s","prompt":[{"type":"text","text":"a"},{"type":"text"}]}"#,
            &["`prompt[1].text`: required, but missing"],
        ),
        ("1", FIRST, "session/list", r#"{"cursr":"x"}"#, &["`cursr`: the protocol has no such member"]),
        ("1", FIRST, "session/lst", "{}", &["no method `session/lst`: did you mean `session/list`?"]),
        ("1", FIRST, "auth/login", "{}", &["agents of version 1 have no method `auth/login`"]),
        ("2", SECOND, "session/set_mode", "{}", &["agents of version 2 have no method `session/set_mode`"]),
        ("2", SECOND, "auth/login", "{}", &["`methodId`: required, but missing"]),
        ("1", FIRST, "fs/read_text_file", "{}", &["no method `fs/read_text_file`"]),
        ("1", FIRST, "initialize", "{}", &["acp info --json"]),
        ("1", FIRST, "session/list", "[]", &["the params must be a JSON object"]),
        ("1", FIRST, "session/list", "{", &["the params are not JSON"]),
    ] {
        let (code, out, err) = run(&[method, params, "--protocol", version], "", &unsent(open));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{method} {params}: {err}");
        assert!(
            faults.iter().all(|fault| err.contains(fault)) && !err.contains("SENT"),
            "{method} {params}: {err}"
        );
    }
}

#[test]
fn raw_params_are_sent_as_they_are() {
    let (code, out, err) =
        run(&["--raw", "session/lst", r#"{"cursr":"x"}"#], "", &format!("{FIRST}{MIRROR}"));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!((&got(&out)["method"], &got(&out)["params"]), (&json!("session/lst"), &json!({"cursr": "x"})));
}

#[test]
fn a_session_is_opened_for_a_call_about_one() {
    let answer = format!("take; echo \"$line\" >&2; give '{{\"sessionId\":\"s1\"}}'; {MIRROR}");
    for (options, method) in
        [(&["--new-session", "--cwd", "/tmp"][..], "session/new"), (&["--session", "s1"], "session/resume")]
    {
        // The session is opened before the call, and the agent says so on stderr.
        let script = format!("{FIRST}{answer}");
        let log = r#"exec 2>"$LOG"; "#;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("log");
        let script = format!("LOG={}; {log}{script}", file.display());
        let (code, out, err) =
            run(&[options, &["session/set_mode", r#"{"modeId":"b"}"#]].concat(), "", &script);
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(got(&out)["params"], json!({"modeId": "b", "sessionId": "s1"}));
        let log = std::fs::read_to_string(&file).expect("a log");
        assert!(log.contains(method), "{log}");
    }
}

#[test]
fn errors_of_the_agent_have_an_exit_status_of_their_own() {
    let script = format!(
        r#"{FIRST}take; printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32603,"message":"no \u202e","data":{{"a":1}}}}}}\n' "$id"; take"#
    );
    let (code, out, err) = run(&["session/list"], "", &script);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    let wants = r#"`session/list` with an error: {"code":-32603,"message":"no \u202e","data":{"a":1}}"#;
    assert!(err.contains(wants), "{err}");
    let (code, _, err) = run(&["session/list"], "", &format!("{FIRST}take; echo out of luck >&2; exit 3"));
    assert_eq!(code, Some(1));
    assert!(err.contains("session/list"), "{err}");
}

#[test]
fn notifications_end_when_they_are_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log");
    let script = format!("{FIRST}take; echo \"$line\" > {}; take", file.display());
    let (code, out, err) = run(&["session/cancel", r#"{"sessionId":"s1"}"#], "", &script);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", ""));
    assert!(std::fs::read_to_string(&file).expect("it came").contains("session/cancel"));
}

#[test]
fn updates_meanwhile_are_shown_with_verbose() {
    let prompt = r#"{"prompt":[{"type":"text","text":"hi"}]}"#;
    let script = format!(
        r#"{FIRST}take; give '{{"sessionId":"s1"}}'; take; prompt=$id; say 'a\u001b[31m\u202e'; permission
        id=$prompt; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let (code, out, err) = run(&["session/prompt", prompt, "--new-session", "-v"], "", &script);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["stopReason"], "end_turn");
    assert!(err.contains(r#""text":"a\u001b[31m\u202e""#), "{err}");
    assert_eq!(run(&["session/prompt", prompt, "--new-session"], "", &script).2, "");
}
