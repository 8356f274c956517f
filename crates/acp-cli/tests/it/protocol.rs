//! `--protocol`: the version of the protocol that `acp prompt` speaks.

use std::process::{Command, Stdio};

use crate::prompt::{AGENT, OPEN, beside_session};

/// An agent of version 2, up to its session.
const OPEN_2: &str = r#"
take; case $line in *'"protocolVersion":2'*) ;; *) exit 9;; esac
give '{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}'
take; give '{"sessionId":"s1"}'
"#;

/// Its turn. The idle of an earlier time does not end it.
const TURN_2: &str = r#"
take; give '{"messageId":"m1"}'
update '{"sessionUpdate":"state_update","state":"idle"}'
update '{"sessionUpdate":"user_message","messageId":"m1","content":[{"type":"text","text":"hello"}]}'
update '{"sessionUpdate":"state_update","state":"running"}'
update '{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"two"}}'
update '{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}'
take
"#;

fn run(options: &[&str], script: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--timeout", "60"]).args(options).args(["--", "sh", "-c", script]);
    let output = command.stdin(Stdio::null()).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), beside_session(&text(output.stderr)))
}

#[test]
fn version_2_is_spoken_when_it_is_asked_for() {
    let agent = format!("{AGENT}{OPEN_2}{TURN_2}");
    for version in ["2", "auto"] {
        assert_eq!(run(&["--protocol", version], &agent), (0, "two\n".to_owned(), String::new()));
    }
    let (code, _, err) = run(&[], &agent);
    assert_eq!(code, 1, "it is asked for version 1: {err}");
}

/// A turn with all that only version 2 has a form for.
const SHOWN_2: &str = r#"
take; give '{"messageId":"m1"}'
update '{"sessionUpdate":"state_update","state":"running"}'
update '{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"whole"}]}'
update '{"sessionUpdate":"agent_message_chunk","messageId":"m3","content":{"type":"text","text":"beg"}}'
update '{"sessionUpdate":"agent_message","messageId":"m3","content":[{"type":"text","text":"begun"}]}'
update '{"sessionUpdate":"agent_message","messageId":"m3","content":[{"type":"text","text":"begun"}]}'
update '{"sessionUpdate":"agent_message","messageId":"m3","content":[{"type":"text","text":"another"}]}'
update '{"sessionUpdate":"agent_message","messageId":"m3"}'
update '{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","status":"in_progress"}'
update '{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"diff","changes":[{"operation":"modify","path":"/a","fileType":"text"}],"patch":{"format":"git_patch","text":"-one\n+two\n"}}}'
update '{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"diff","changes":[{"operation":"move","path":"/c","oldPath":"/b","fileType":"text"}]}}'
update '{"sessionUpdate":"terminal_update","terminalId":"t1","command":"make all"}'
update '{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"bWFk"}'
update '{"sessionUpdate":"terminal_output_chunk","terminalId":"t1","data":"ZSBpdAo="}'
update '{"sessionUpdate":"terminal_update","terminalId":"t1","exitStatus":{"exitCode":0}}'
update '{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}'
take
"#;

#[test]
fn all_of_version_2_is_shown() {
    let agent = format!("{AGENT}{OPEN_2}{SHOWN_2}");
    let conversation = "whole\nbegun\nanother\n▸ Edit (in progress)\n-one\n+two\nmove /b -> /c\n";
    assert_eq!(run(&["--protocol", "2"], &agent), (0, conversation.to_owned(), String::new()));
    let (code, out, _) = run(&["--protocol", "2", "--verbose"], &agent);
    assert_eq!(code, 0);
    assert!(out.contains("    $ make all\n    made it\n"), "{out}");
    assert!(out.contains("state: running\n"), "{out}");
}

#[test]
fn an_agent_of_version_1_is_used_with_auto_and_refused_with_2() {
    let agent = format!("{AGENT}{OPEN}take; say one; give '{{\"stopReason\":\"end_turn\"}}'; take");
    for options in [&[][..], &["--protocol", "1"], &["--protocol", "auto"]] {
        assert_eq!(run(options, &agent), (0, "one\n".to_owned(), String::new()), "{options:?}");
    }
    let (code, out, err) = run(&["--protocol", "2"], &agent);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("version"), "{err}");
}

#[test]
fn a_bridge_makes_the_versions_fit() {
    let acp = env!("CARGO_BIN_EXE_acp");
    let one =
        format!("{AGENT}{OPEN}echo careful >&2; take; say one; give '{{\"stopReason\":\"end_turn\"}}'; take");
    let two = format!("{AGENT}{OPEN_2}{TURN_2}");
    for (client, to, agent, said) in
        [("1", "2", &two, "two\n"), ("2", "1", &one, "one\n"), ("1", "1", &one, "one\n")]
    {
        let mut command = Command::new(acp);
        command.args(["prompt", "hello", "--timeout", "60", "--protocol", client, "--verbose", "--"]);
        command.args([acp, "bridge", "--to", to, "--", "sh", "-c", agent]);
        let output = command.stdin(Stdio::null()).output().expect("acp runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{client} {to}: {out}{err}");
        assert!(out.contains(said), "{client} {to}: {out}{err}");
        // Stdout is the wire, so the agent's own words go to stderr.
        assert_eq!(err.contains("agent: agent: careful"), said == "one\n", "{err}");
    }
}

#[test]
fn a_bridge_says_why_there_is_no_agent() {
    let acp = env!("CARGO_BIN_EXE_acp");
    for (agent, wants) in [
        (&["/no/such/agent"][..], "/no/such/agent"),
        // It speaks version 1 only.
        (
            &[
                "sh",
                "-c",
                "read -r line; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":1}}'; read -r line",
            ],
            "version",
        ),
    ] {
        let mut command = Command::new(acp);
        command
            .args(["prompt", "hello", "--timeout", "60", "--", acp, "bridge", "--to", "2", "--"])
            .args(agent);
        let output = command.stdin(Stdio::null()).output().expect("acp runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("initialize") && err.contains(wants), "{agent:?}: {err}");
    }
}
