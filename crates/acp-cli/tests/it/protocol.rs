//! `--protocol`: the version of the protocol that `acp prompt` speaks.

use std::process::{Command, Stdio};

use crate::prompt::{AGENT, OPEN};

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
    (output.status.code().expect("it exits"), text(output.stdout), text(output.stderr))
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
