//! Ends of runs that somebody does not want to wait for.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use super::{AGENT, OPEN, acp, beside_session, run};

/// Says more than a pipe holds, then waits until it is cancelled.
const FLOOD: &str = r#"take; prompt=$id; text=$(printf '%010000d' 0)
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do say "$text"; done
    take; id=$prompt; give '{"stopReason":"cancelled"}'; take"#;

fn signal(acp: &Child, signal: &str) {
    let killed = Command::new("kill").args([signal, acp.id().to_string().as_str()]).status();
    assert!(killed.expect("kill runs").success());
}

/// Waits until the pipe is full.
fn until_full(out: &impl std::os::fd::AsFd) {
    while rustix::io::ioctl_fionread(out).expect("a pipe") < 60_000 {
        std::thread::yield_now();
    }
}

#[test]
fn every_wait_has_its_limit() {
    let open = "take; give '{\"protocolVersion\":1}'; take; give '{\"sessionId\":\"s1\"}'; take";
    // If one limit does not work, the other one ends the run.
    for (options, script, message) in [
        (
            &["--init-timeout", "0.3"][..],
            "while :; do take; done".to_owned(),
            "did not answer `initialize` within 300ms",
        ),
        (
            &["--timeout", "0.3", "--idle-timeout", "60"],
            "while :; do take; done".to_owned(),
            "the time is up",
        ),
        (
            &["--timeout", "0.3", "--idle-timeout", "60"],
            "take; give '{\"protocolVersion\":1}'; while :; do take; done".to_owned(),
            "the time is up",
        ),
        (
            &["--idle-timeout", "0.3", "--timeout", "60"],
            "take; give '{\"protocolVersion\":1}'; while :; do take; done".to_owned(),
            "the agent has said nothing for 300ms",
        ),
        (
            &["--idle-timeout", "3", "--timeout", "60"],
            format!("{open}; prompt=$id; take; id=$prompt; give '{{\"stopReason\":\"cancelled\"}}'; take"),
            "the agent has said nothing for 3s: cancelling",
        ),
    ] {
        let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
        acp.args(["prompt", "hello"]).args(options).args(["--", "sh", "-c", &format!("{AGENT}{script}")]);
        let output = acp.stdin(Stdio::null()).output().expect("acp runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(124), "{options:?}: {out}{err}");
        assert!(out.contains(message) || err.contains(message), "{options:?}: {out}{err}");
    }
}

#[test]
fn signals_end_a_run_whose_output_nobody_reads() {
    for name in ["-INT", "-TERM"] {
        let mut acp = acp(&[], FLOOD).stdout(Stdio::piped()).spawn().expect("acp runs");
        let out = acp.stdout.take().expect("a pipe");
        until_full(&out);
        signal(&acp, name);
        assert_eq!(acp.wait().expect("it ends").code(), Some(130), "{name}");
        drop(out);
    }
}

#[test]
fn a_limit_ends_a_run_whose_output_nobody_reads() {
    let script = r#"take; prompt=$id; text=$(printf '%010000d' 0); for _ in 1 2 3 4 5 6 7 8 9 10; do say "$text"; done
        id=$prompt; give '{"stopReason":"end_turn"}'; take"#;
    let mut acp = acp(&["--timeout", "2"], script).stdout(Stdio::piped()).spawn().expect("acp runs");
    let out = acp.stdout.take().expect("a pipe");
    assert_eq!(acp.wait().expect("it ends").code(), Some(124));
    drop(out);
}

#[test]
fn a_signal_ends_a_run_that_closes() {
    // This agent survives the end of its input and a request to terminate.
    let script =
        r#"trap '' TERM; take; say 'Done.'; give '{"stopReason":"end_turn"}'; while :; do sleep 1; done"#;
    let mut acp = acp(&[], script).stdout(Stdio::piped()).spawn().expect("acp runs");
    let mut out = BufReader::new(acp.stdout.take().expect("a pipe"));
    let mut line = String::new();
    out.read_line(&mut line).expect("output");
    assert_eq!(line, "Done.\n", "the turn is over");
    signal(&acp, "-INT");
    assert_eq!(acp.wait().expect("it ends").code(), Some(130));
}

#[test]
fn output_that_nobody_wants_any_more_ends_a_run_silently() {
    let script = r#"take; text=$(printf '%010000d' 0); while :; do say "$text" || exit; done"#;
    let mut acp = acp(&[], script).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut out = acp.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 100]).expect("output");
    drop(out);
    let output = acp.wait_with_output().expect("it ends");
    let err = beside_session(&String::from_utf8_lossy(&output.stderr));
    assert_eq!((output.status.code(), err.as_str()), (Some(141), ""));
}

#[test]
fn help_that_nobody_wants_is_not_an_error() {
    let mut help = Command::new(env!("CARGO_BIN_EXE_acp"));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = help.arg("--help").stdout(writer).stderr(Stdio::piped()).output().expect("acp runs");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn a_full_disk_is_told_of() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    // Only Linux has one.
    let Ok(full) = full else { return };
    let script = r#"take; say 'Done.'; give '{"stopReason":"end_turn"}'; take"#;
    let output = acp(&[], script).stdout(full).stderr(Stdio::piped()).output().expect("acp runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("No space left"), "{err}");
}

#[test]
fn colours_of_an_agents_stderr_are_left_out() {
    let script = r#"printf '\033[1;31mno key\033[0m\007\n' >&2; take; exit 9"#;
    let (code, _, err) = run(&[], script);
    assert_eq!(code, 1);
    assert!(err.contains("no key\u{fffd}"), "{err}");
    assert!(!err.contains("[1;31m") && !err.contains("[0m"), "{err}");
}

#[test]
fn the_reason_in_an_agents_error_is_shown() {
    for (data, shown) in [
        (r#""no credit""#, ": no credit"),
        (r#"{"message":"no credit","code":7}"#, ": no credit"),
        (r#"{"details":"no network"}"#, ": no network"),
        (r#"{"message":"Internal error","details":"no network"}"#, ": no network"),
        (r#"{"reason":"quota","left":0}"#, r#": {"reason":"quota","left":0}"#),
        ("[1,null]", ": [1,null]"),
        ("429", ": 429"),
        // The text comes from the agent, so it must not reach the terminal unchanged.
        (r#""no\u001b[2J\u202ecredit""#, ": no\u{fffd}credit"),
        // The reason has been shown already.
        ("null", ""),
        (r#"{"message":"Internal error"}"#, ""),
    ] {
        let fail = format!(
            r#"printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32603,"message":"Internal error","data":%s}}}}\n' "$id" '{data}'; take"#
        );
        // In the turn, and before it.
        for (method, script) in [
            ("session/prompt", format!("{OPEN}take; {fail}")),
            ("session/new", format!("take; give '{{\"protocolVersion\":1}}'\ntake; {fail}")),
            ("initialize", format!("take; {fail}")),
        ] {
            let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
            acp.args(["prompt", "hello", "--timeout", "60", "--", "sh", "-c", &format!("{AGENT}{script}")]);
            let output = acp.stdin(Stdio::null()).output().expect("acp runs");
            let err = beside_session(&String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(1), "{method}: {err}");
            let wanted = format!("with an error: Internal error (code -32603){shown}\n");
            assert!(err.starts_with(&format!("acp: the agent answered `{method}`")), "{data}: {err}");
            assert!(err.ends_with(&wanted), "{method}, {data}: {err}");
        }
    }
}
