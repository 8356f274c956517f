//! The answer of an installed agent to `initialize`, which the lock file keeps.

use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use super::running::home_of;
use super::{Home, entry};
use crate::prompt::AGENT;

/// A script that answers `initialize` by a result, and then a prompt.
fn answering(result: &Value) -> String {
    format!(
        "{AGENT}take; give '{result}'; take; give '{{\"sessionId\":\"s1\"}}'; take; say hello; \
         give '{{\"stopReason\":\"end_turn\"}}'; take"
    )
}

fn named(version: &str) -> Value {
    json!({"protocolVersion":1,"agentInfo":{"name":"robot-acp","version":version,"unknown":1}})
}

/// Returns the line about the answer that `acp agents show` has.
fn shown(home: &Home) -> Option<String> {
    let out = home.done(&["agents", "show", "robot"]);
    out.lines().find_map(|line| line.strip_prefix("answered   ")).map(str::to_owned)
}

fn prompt(home: &Home) {
    assert_eq!(home.prompt(&["--agent", "robot"]), (0, "hello\n".to_owned(), String::new()));
}

/// Runs the robot as an editor does, and returns what it has written.
fn run(home: &Home) -> Vec<u8> {
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp");
    child.stdin.take().expect("is piped").write_all(b"{\"id\":0}\n").expect("taken");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    output.stdout
}

/// A home with a package that is a script.
fn package(script: &str) -> Home {
    let home = Home::new();
    home.program("npx", script);
    home.list("/list", &[entry("1.0.0", &json!({"npx": {"package": "robot@1.0.0"}}))]);
    home.done(&["agents", "install", "robot"]);
    home
}

#[test]
fn the_first_answer_is_kept_until_another_version_is_installed() {
    let home = home_of(&answering(&named("3.1.0-beta")));
    home.done(&["agents", "install", "robot"]);
    assert_eq!(shown(&home), None, "nothing was started");
    prompt(&home);
    let line = shown(&home).expect("it was started");
    let date = line.strip_prefix("robot-acp 3.1.0-beta, protocol 1, ").unwrap_or_else(|| panic!("{line}"));
    assert_eq!(date.len(), "2026-01-01".len());
    let lock = home.lock();
    assert!(lock.contains("[agent.answered]") && lock.contains("protocols = [1]"), "{lock}");
    // Later starts and installations of the same version leave it.
    prompt(&home);
    home.done(&["agents", "install", "robot"]);
    assert_eq!(home.lock(), lock);
    // Other commands that are its client read it as well.
    home.done(&["info", "--agent", "robot"]);
    assert_eq!(home.lock(), lock);
    home.offer("2.0.0");
    home.done(&["agents", "update", "robot"]);
    assert_eq!(shown(&home), None, "another version was not started yet");
    home.prompt(&["--agent", "robot"]);
    let line = shown(&home).expect("it was started");
    assert!(line.starts_with("protocol 1, "), "this one has no name: {line}");
}

#[test]
fn each_version_of_the_protocol_that_was_seen_is_kept() {
    let second = json!({"protocolVersion":2,"info":{"name":"r","version":"2"},"capabilities":{}});
    let script = format!(
        "{AGENT}take; case $line in *'\"protocolVersion\":2'*) give '{second}';; *) give '{}';; esac; take",
        named("1")
    );
    let home = home_of(&script);
    home.done(&["agents", "install", "robot"]);
    home.done(&["info", "--agent", "robot", "--protocol", "2"]);
    assert!(shown(&home).expect("was started").starts_with("r 2, protocol 2, "));
    home.done(&["info", "--agent", "robot"]);
    assert!(shown(&home).expect("was started").starts_with("r 2, protocol 1 and 2, "));
}

#[test]
fn an_agent_that_never_answers_or_talks_nonsense_is_not_kept() {
    for script in [
        "read -r line; exec sleep 60",
        "exit 3",
        "echo nonsense; cat > /dev/null",
        &format!("{AGENT}take; give '{{\"protocolVersion\":99}}'; take"),
        &format!("{AGENT}take; give '\"1\"'; take"),
    ] {
        let home = home_of(script);
        home.done(&["agents", "install", "robot"]);
        let lock = home.lock();
        let (code, _, _) = home.run(&["info", "--agent", "robot", "--init-timeout", "0.5"]);
        assert_ne!(code, 0, "{script}");
        assert_eq!((home.lock(), shown(&home)), (lock, None), "{script}");
    }
}

#[test]
fn a_lock_file_that_cannot_be_written_keeps_no_agent_from_its_work() {
    let home = home_of(&answering(&named("1")));
    home.done(&["agents", "install", "robot"]);
    let lock = home.lock();
    // Another process writes, and does not end.
    let write = home.path("acp/agents/lock.write");
    let other = File::options().write(true).open(&write).expect("is there");
    rustix::fs::flock(&other, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    prompt(&home);
    assert_eq!(home.lock(), lock);
    drop(other);
    // The place of the file is taken, which stops the superuser as well.
    fs::remove_file(&write).expect("is ours");
    fs::create_dir(&write).expect("made");
    prompt(&home);
    assert_eq!(home.lock(), lock);
    fs::remove_dir(&write).expect("is ours");
    prompt(&home);
    assert!(shown(&home).is_some());
}

#[test]
fn an_answer_in_the_lock_file_that_is_damaged_is_none() {
    let home = home_of(&answering(&named("1")));
    home.done(&["agents", "install", "robot"]);
    prompt(&home);
    let file = home.path("acp/agents.lock");
    let lock = home.lock();
    for (good, bad) in
        [("protocols = [1]", "protocols = [-1]"), ("protocols = [1]", ""), ("date = ", "day = ")]
    {
        // The date of the answer stands behind that of the installation.
        let (before, answered) = lock.split_once("[agent.answered]").expect("is there");
        fs::write(&file, format!("{before}[agent.answered]{}", answered.replacen(good, bad, 1)))
            .expect("is ours");
        assert_eq!(shown(&home), None, "{bad}");
        prompt(&home);
        assert!(shown(&home).expect("once more").starts_with("robot-acp 1, protocol 1, "), "{bad}");
    }
}

#[test]
fn long_and_strange_names_are_cut_and_escaped() {
    let name = format!("a\\u001b[31m{}", "x".repeat(1000));
    let home = home_of(
        &answering(&json!({"protocolVersion":1,"agentInfo":{"name":"NAME","version":""}}))
            .replace("NAME", &name),
    );
    home.done(&["agents", "install", "robot"]);
    prompt(&home);
    let line = shown(&home).expect("was started");
    assert!(!line.contains('\u{1b}') && line.len() < 300, "{line}");
}

#[test]
fn the_answer_of_a_package_is_seen_while_its_bytes_pass() {
    let nonsense = "npm notice\n{\"result\":{}}\n{\"result\":{\"protocolVersion\":\"1\"}}\n[]\n\n";
    let answer = format!("{}\n", json!({"jsonrpc":"2.0","id":0,"result":named("7")}));
    let (head, tail) = answer.split_at(30);
    // It comes late, and in pieces.
    let script = format!(
        "read -r line; printf '%s' '{nonsense}'; printf '%s' '{head}'; printf '%s' '{tail}'; read -r line"
    );
    let home = package(&script);
    let lock = home.lock();
    assert_eq!(String::from_utf8_lossy(&run(&home)), format!("{nonsense}{answer}"));
    assert!(shown(&home).expect("was started").starts_with("robot-acp 7, protocol 1, "), "{lock}");
    let lock = home.lock();
    run(&home);
    assert_eq!(home.lock(), lock);
}

#[test]
fn a_package_that_does_not_answer_is_passed_on_all_the_same() {
    let late = json!({"result":named("7")});
    for script in [
        // No line ends, and later lines are not searched.
        format!("head -c 400000 /dev/zero; echo; echo '{late}'"),
        format!("yes nonsense | head -c 400000; echo; echo '{late}'"),
        // The last line has no end.
        format!("printf '%s' '{late}'"),
        "exit 0".to_owned(),
    ] {
        let home = package(&script);
        let plain = std::process::Command::new("sh").args(["-c", &script]).output().expect("sh runs").stdout;
        assert!(run(&home) == plain, "{script}");
        assert_eq!(shown(&home), None, "{script}");
    }
}
