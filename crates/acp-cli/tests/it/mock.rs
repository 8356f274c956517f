//! `acp mock`: a scripted peer as a program, and scripts from recordings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn acp(args: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_acp")).args(args).output().expect("acp runs");
    let problem = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    (output, problem)
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).expect("written");
    file.display().to_string()
}

const AGENT: &str = r#"
[[step]]
expect = "initialize"
[[step]]
answer = { protocolVersion = 1, agentCapabilities = {} }
[[step]]
expect = "session/new"
[[step]]
answer = { sessionId = "s1" }
[[step]]
expect = "session/prompt"
params = { sessionId = "s1", prompt = [{ text = "hello" }] }
[[step]]
notify = "session/update"
[step.params]
sessionId = "s1"
update = { sessionUpdate = "agent_message_chunk", content = { type = "text", text = "good day" } }
[[step]]
answer = { stopReason = "end_turn" }
[[step]]
standing = "*"
"#;

#[test]
fn a_scripted_agent_is_prompted_and_recorded_and_played_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = written(folder.path(), "agent.toml", AGENT);
    let recording = folder.path().join("turn.ndjson").display().to_string();
    let agent = ["--", env!("CARGO_BIN_EXE_acp"), "mock", "agent", "--script"];
    let prompt = |options: &[&str], script: &str| {
        let args = [&["prompt", "hello"], options, &agent, &[script]].concat();
        let (output, problem) = acp(&args);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        (output.status.code(), text, problem)
    };
    let (code, text, problem) = prompt(&["--record", &recording], &script);
    assert_eq!((code, text.trim()), (Some(0), "good day"), "{problem}");

    let (output, problem) = acp(&["mock", "--from", &recording]);
    assert!(output.status.success(), "{problem}");
    let again = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(again.contains("expect = 'session/prompt'") && again.contains("session-1"), "{again}");
    let again = written(folder.path(), "again.toml", &again);
    let (code, text, problem) = prompt(&[], &again);
    assert_eq!((code, text.trim()), (Some(0), "good day"), "{problem}");
}

#[test]
fn a_scripted_client_starts_the_agent_and_tells_the_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = |code: i64| {
        format!(
            "{{\"request\":\"initialize\",\"params\":{{\"protocolVersion\":1}}}}\n\
             {{\"result\":{{\"protocolVersion\":1}}}}\n{{\"request\":\"_none\"}}\n{{\"error\":{code}}}\n"
        )
    };
    for (code, status) in [(-32601, 0), (-32000, 1)] {
        let script = written(folder.path(), "client.ndjson", &client(code));
        let demo = ["--", env!("CARGO_BIN_EXE_acp"), "demo-agent"];
        let (output, problem) = acp(&[&["mock", "client", "--script", &script], &demo[..]].concat());
        assert_eq!(output.status.code(), Some(status), "{problem}");
        assert!(output.stdout.is_empty());
        let differs = "differs:  `error.code`: expected -32000, seen -32601";
        assert_eq!(problem.contains(differs), status == 1, "{problem}");
        assert_eq!(
            problem.contains("client.ndjson, line 4, step 4: a message differs"),
            status == 1,
            "{problem}"
        );
    }
}

#[test]
fn a_mock_that_nobody_talks_to_fails_and_a_wrong_script_is_a_usage_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = written(folder.path(), "agent.toml", AGENT);
    // Stdin is closed from the beginning.
    let (output, problem) = acp(&["mock", "agent", "--script", &script]);
    assert_eq!(output.status.code(), Some(1));
    assert!(problem.contains("line 2, step 1: the connection was closed"), "{problem}");
    let wrong = written(folder.path(), "wrong.toml", "[[step]]\nanswer = 1\nto = 2\n");
    let (output, problem) = acp(&["mock", "agent", "--script", &wrong]);
    assert_eq!((output.status.code(), problem.contains("wrong.toml: ")), (Some(2), true), "{problem}");
    let (output, problem) = acp(&["mock", "--from", &script]);
    assert_eq!(output.status.code(), Some(1));
    assert!(problem.contains("`--from ") && problem.contains("is not a record"), "{problem}");
}
