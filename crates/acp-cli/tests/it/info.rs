//! `acp info` with agents made of a few lines of shell.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::prompt::AGENT;

fn info(options: &[&str], script: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("info").args(options).args(["--", "sh", "-c"]).arg(format!("{AGENT}{script}"));
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("it exits"), text(stdout), text(stderr))
}

/// Returns the value of a row.
fn row<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let mut rows = table.lines().filter_map(|line| line.split_once("  "));
    rows.find_map(|(found, value)| (found.trim() == name).then(|| value.trim()))
}

const FULL: &str = r#"take; give "$(flat '{"protocolVersion":1,
    "agentInfo":{"name":"a\u001b[31m","version":"1.2","title":"An\nagent"},
    "agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":false},
        "sessionCapabilities":{"list":{}},"_meta":{"example.com":{"depth":3}}},
    "authMethods":[{"id":"key","name":"An API key"},{"id":"same","name":"same"}]}')"
    read -r _"#;

#[test]
fn each_fact_has_a_row() {
    let (code, out, err) = info(&[], FULL);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let rows = [
        ("protocol version", "1"),
        ("agent.name", "a\u{fffd}[31m"),
        ("agent.title", "An agent"),
        ("agent.version", "1.2"),
        ("loadSession", "yes"),
        ("promptCapabilities.image", "yes"),
        ("sessionCapabilities.list", "yes"),
        ("_meta.example.com.depth", "3"),
        ("login", "key: An API key"),
    ];
    for (name, value) in rows {
        assert_eq!(row(&out, name), Some(value), "{name} in\n{out}");
    }
    assert!(out.lines().any(|line| line.ends_with("  same")), "{out}");
    assert_eq!(row(&out, "promptCapabilities.audio"), None, "it is not offered");
}

#[test]
fn json_is_the_answer_of_the_agent() {
    let (code, out, _) = info(&["--json"], FULL);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, 0);
    assert_eq!(answer["agentInfo"]["version"], "1.2");
    assert_eq!(answer["agentCapabilities"]["_meta"], json!({"example.com": {"depth": 3}}));
}

#[test]
fn an_agent_that_offers_nothing_has_a_version() {
    let (code, out, _) = info(&[], r#"take; give '{"protocolVersion":1}'; read -r _"#);
    assert_eq!((code, row(&out, "protocol version")), (0, Some("1")), "{out}");
}

#[test]
fn failures_have_their_exit_status() {
    let (code, out, err) = info(&["--init-timeout", "0.2"], "read -r _; read -r _");
    assert_eq!((code, out.as_str()), (124, ""), "{err}");
    assert!(err.contains("initialize"), "{err}");
    let (code, _, err) = info(&[], "echo out of luck >&2; exit 3");
    assert_eq!(code, 1);
    assert!(err.contains("out of luck"), "{err}");
    let output = Command::new(env!("CARGO_BIN_EXE_acp")).arg("info").output().expect("acp runs");
    assert_eq!(output.status.code(), Some(2));
}
