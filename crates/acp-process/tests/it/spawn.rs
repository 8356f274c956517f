//! Commands that are talked to over stdin and stdout.

use std::sync::{Arc, Mutex};

use acp_process::{Command, Exit, Spawned};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{GUARD, shell, soon};

#[tokio::test]
async fn a_process_is_talked_to_and_ends_with_its_input() {
    let Spawned { mut stdin, mut stdout, child, guard, .. } =
        Command::new("/bin/cat").grace(GUARD).spawn().unwrap();
    let text = "\u{1F980}".repeat(100_000);
    let (of_process, mut printed) = (text.clone(), String::new());
    let writing = tokio::spawn(async move { stdin.write_all(of_process.as_bytes()).await });
    soon("the output", stdout.read_to_string(&mut printed)).await.unwrap();
    soon("the input", writing).await.unwrap().unwrap();
    assert_eq!(printed, text);
    soon("the end", guard.end()).await;
    assert_eq!(child.wait().await, Exit { status: Some(0), ..Exit::default() });
}

#[tokio::test]
async fn the_exit_has_the_last_words() {
    let Spawned { child, guard, .. } =
        shell("echo first >&2; echo 'last words' >&2; exit 3").spawn().unwrap();
    let exit = Exit { status: Some(3), signal: None, stderr_tail: "first\nlast words\n".into() };
    assert_eq!(soon("the exit", guard.exited()).await, exit);
    assert_eq!(child.wait().await, exit);
    assert_eq!(child.stderr_tail(), exit.stderr_tail);
    let text = "the process exited with status 3; its last words on stderr:\nfirst\nlast words";
    assert_eq!(exit.to_string(), text);
}

#[tokio::test]
async fn a_signal_is_told_apart_from_a_status() {
    let Spawned { child, .. } = shell("kill -9 $$").grace(GUARD).spawn().unwrap();
    let exit = soon("the exit", child.wait()).await;
    assert_eq!((exit.status, exit.signal), (None, Some(9)));
    assert_eq!(exit.to_string(), "the process was ended by signal 9");
}

#[tokio::test]
async fn a_listener_that_panics_is_not_asked_again() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&lines);
    let command = shell("echo one >&2; echo two >&2").on_stderr(move |line| {
        received.lock().unwrap().push(line.to_owned());
        panic!("as a listener may");
    });
    let Spawned { child, .. } = command.grace(GUARD).spawn().unwrap();
    assert_eq!(soon("the exit", child.wait()).await.stderr_tail, "one\ntwo\n");
    assert_eq!(*lines.lock().unwrap(), ["one"]);
}

#[tokio::test]
async fn stderr_is_kept_short_and_handed_over_by_line() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&lines);
    let script = r"for i in $(seq 1 5000); do echo line $i >&2; done; printf unfinished >&2";
    let command =
        shell(script).stderr_tail(20).on_stderr(move |line| received.lock().unwrap().push(line.to_owned()));
    let Spawned { child, guard: _guard, .. } = command.spawn().unwrap();
    soon("the exit", child.wait()).await;
    assert_eq!(child.stderr_tail(), "line 5000\nunfinished");
    let lines = lines.lock().unwrap();
    assert_eq!((lines.len(), lines[0].as_str(), lines[5000].as_str()), (5001, "line 1", "unfinished"));
}

#[tokio::test]
async fn a_signal_has_a_name() {
    for (signal, name) in [("KILL", "SIGKILL"), ("TERM", "SIGTERM"), ("USR1", "SIGUSR1"), ("40", "signal 40")]
    {
        let Spawned { child, .. } = shell(&format!("kill -{signal} $$")).grace(GUARD).spawn().unwrap();
        assert_eq!(soon("the exit", child.wait()).await.signal_name().as_deref(), Some(name));
    }
    assert_eq!(Exit { status: Some(3), ..Exit::default() }.signal_name(), None);
}
