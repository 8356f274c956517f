//! Turns and runs that are stopped: by a limit, an interrupt or a request to end.

use std::io::{BufReader, Read};
use std::process::{Command, Stdio};

use super::{acp, run};

/// An agent that works until it is cancelled.
const PATIENT: &str = r#"take; prompt=$id; say 'working'; read -r line
    case $line in *session/cancel*) say 'stopped';; esac
    id=$prompt; give '{"stopReason":"cancelled"}'; take"#;

#[test]
fn a_turn_whose_time_is_up_is_cancelled() {
    let (code, out, err) = run(&["--timeout", "4"], PATIENT);
    assert_eq!(code, 124, "{out}{err}");
    assert!(out.contains("the time is up") && out.contains("stopped"), "{out}");
}

/// Starts acp, sends a signal after each of these words of its output, and returns its end.
fn signalled(script: &str, signals: &[(&str, &str)]) -> (i32, String) {
    let mut acp = acp(&[], script).stdout(Stdio::piped()).spawn().expect("acp runs");
    let mut out = BufReader::new(acp.stdout.take().expect("a pipe"));
    let mut seen = String::new();
    for (word, signal) in signals {
        while !seen.ends_with(word) {
            let mut byte = [0];
            out.read_exact(&mut byte).unwrap_or_else(|_| panic!("{word:?} never came: {seen}"));
            seen.push(char::from(byte[0]));
        }
        let killed = Command::new("kill").args([signal, acp.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
    }
    out.read_to_string(&mut seen).expect("output");
    (acp.wait().expect("it ends").code().expect("by itself"), seen)
}

#[test]
fn an_interrupt_cancels_the_turn_and_a_second_one_gives_up() {
    let (code, out) = signalled(PATIENT, &[("working", "-INT")]);
    assert_eq!(code, 130, "{out}");
    assert!(out.contains("stopped"), "the agent received the cancellation and ended in peace: {out}");

    let deaf = r#"take; say 'working'; while read -r line; do :; done"#;
    let (code, out) = signalled(deaf, &[("working", "-INT"), ("give up waiting\n", "-INT")]);
    assert_eq!(code, 130, "{out}");
    assert!(out.contains("not waiting any longer"), "{out}");
}

#[test]
fn an_acp_that_is_told_to_end_leaves_no_agent_behind() {
    // This agent survives the end of its input and a request to terminate, and it has a child.
    let stubborn = r#"take; trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & say "pids $$ $! ."
        while :; do sleep 1; done"#;
    let (code, out) = signalled(stubborn, &[(" .", "-TERM")]);
    assert_eq!(code, 130, "{out}");
    let pids: Vec<&str> = out.split_whitespace().skip(1).take(2).collect();
    assert_eq!(pids.len(), 2, "{out}");
    for pid in pids {
        let gone = || {
            let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("ps runs").stdout;
            let state = String::from_utf8_lossy(&state);
            state.trim().is_empty() || state.starts_with('Z')
        };
        // The signal may still be on its way.
        assert!((0..500).any(|_| gone()), "{pid} is still there");
    }
}

#[test]
fn an_interrupt_ends_the_program_in_each_phase_before_the_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("reached").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let reached = format!("echo $$ > {pipe}; while :; do take; done");
    let initialized = r#"take; give '{"protocolVersion":1}'"#;
    let options = r#"[{"id":"web","name":"Web","type":"boolean","currentValue":false}]"#;
    let opened = format!("{initialized}; take; give '{{\"sessionId\":\"s1\",\"configOptions\":{options}}}'");
    for (phase, options, script) in [
        ("start", &[][..], reached.clone()),
        ("initialize", &[], format!("take; {reached}")),
        ("session", &[], format!("{initialized}; take; {reached}")),
        ("config", &["--config", "web=true"], format!("{opened}; take; {reached}")),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "hello", "--timeout", "60"]).args(options).args(["--", "sh", "-c"]);
        command.arg(format!("{}{script}", super::AGENT)).stdin(Stdio::null()).stdout(Stdio::null());
        let mut acp = command.stderr(Stdio::null()).spawn().expect("acp runs");
        let pid = std::fs::read_to_string(&pipe).expect("the agent is there");
        assert!(!pid.is_empty(), "{phase}");
        let killed = Command::new("kill").args(["-INT", acp.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(acp.wait().expect("it ends").code(), Some(130), "{phase}");
    }
}

#[test]
fn an_interrupt_ends_a_program_that_reads_its_stdin_or_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    for ends in [true, false] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "-", "--file", &pipe, "--json", "--", "sh", "-c", "exit"]);
        let mut acp = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("acp runs");
        let stdin = acp.stdin.take();
        // It opens when the program reads it. After its end stdin is read.
        let file = std::fs::File::options().write(true).open(&pipe).expect("it opens");
        let file = Some(file).filter(|_| !ends);
        let killed = Command::new("kill").args(["-INT", acp.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
        let output = acp.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{ends}");
        let lines = super::json::lines(&String::from_utf8(output.stdout).expect("UTF-8"));
        assert_eq!(lines[0]["exitCode"], 130);
        drop((stdin, file));
    }
}
