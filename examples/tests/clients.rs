//! The clients as programs, with our agents.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "what a test expects, it may insist on")]

use std::io::Write as _;
#[cfg(unix)]
use std::io::{BufReader, Read as _};
use std::path::Path;
#[cfg(unix)]
use std::process::{Child, ChildStdin};
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::sync::mpsc::{Receiver, channel};

const ONE_SHOT: &str = env!("CARGO_BIN_EXE_one_shot_client");
const REPL: &str = env!("CARGO_BIN_EXE_repl_client");
const DRY_RUN: &str = env!("CARGO_BIN_EXE_editor_client");
const RECORD_REPLAY: &str = env!("CARGO_BIN_EXE_record_replay");
const ECHO: &str = env!("CARGO_BIN_EXE_echo_agent");
const EDITOR: &str = env!("CARGO_BIN_EXE_editor_agent");

/// A client in a folder that has a file.
fn client(program: &str, args: &[&str], folder: &Path) -> Command {
    std::fs::write(folder.join("notes.txt"), "milk\nbread\n").expect("it can be written");
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn notes(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("notes.txt")).expect("it is there")
}

fn end(output: Output) -> (bool, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn one_shot_prints_the_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| end(client(ONE_SHOT, args, folder.path()).output().expect("it runs"));
    assert_eq!(run(&["hello", "--", ECHO]), (true, "hello\n[end_turn]\n".into(), String::new()));
    assert!(run(&["notes.txt: bread -> cake", "--", EDITOR]).0);
    assert_eq!(notes(folder.path()), "milk\ncake\n");
    for args in [&["hello"][..], &["hello", "--"], &[]] {
        let (success, _, errors) = run(args);
        assert!(!success && errors.contains("usage: one_shot_client"), "{args:?}: {errors}");
    }
}

#[test]
fn a_dry_run_shows_what_would_have_been_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| end(client(DRY_RUN, args, folder.path()).output().expect("it runs"));
    let (success, out, errors) = run(&["notes.txt: bread -> cake", "--", EDITOR]);
    assert!(success, "{errors}");
    assert!(out.starts_with("Done.\n--- ") && out.ends_with("notes.txt\nmilk\ncake\n"), "{out}");
    assert_eq!(notes(folder.path()), "milk\nbread\n", "nothing was saved");
}

/// What the REPL prints for these lines.
fn talk(agent: &str, folder: &Path, lines: &str) -> String {
    let mut repl = client(REPL, &["--", agent], folder);
    let mut repl = repl.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = repl.stdin.take().expect("a pipe");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    drop(stdin);
    let (success, out, errors) = end(repl.wait_with_output().expect("it ends"));
    assert!(success, "{out}{errors}");
    out
}

#[test]
fn the_repl_takes_a_prompt_from_each_line_until_there_are_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = talk(ECHO, folder.path(), "hello\n\n  again \u{1b}[2J\n");
    assert_eq!(said, "> hello\n[end_turn]\n> >   again \u{fffd}[2J\n[end_turn]\n> \n");
    assert_eq!(talk(ECHO, folder.path(), ""), "> \n");
}

#[test]
fn the_repl_shows_tool_calls_and_asks() {
    for (lines, text, end) in [
        ("notes.txt: bread -> cake\n1\n", "milk\ncake\n", "[completed] Change notes.txt"),
        ("notes.txt: bread -> cake\nno\n", "milk\nbread\n", "[failed] Change notes.txt"),
        // The end of the input is no consent.
        ("notes.txt: bread -> cake\n", "milk\nbread\n", "[failed] Change notes.txt"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let said = talk(EDITOR, folder.path(), lines);
        assert!(said.contains("[completed] Read"), "{said}");
        assert!(said.contains("notes.txt\n  1 "), "the change is shown before the options: {said}");
        assert!(said.contains(end), "{said}");
        assert_eq!(notes(folder.path()), text, "{said}");
    }
}

#[test]
fn a_recorded_turn_is_replayed_without_its_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| end(client(RECORD_REPLAY, args, folder.path()).output().expect("it runs"));
    for (agent, prompt, answer) in [(ECHO, "hello", "hello"), (EDITOR, "notes.txt: bread -> cake", "Done.")] {
        let (success, recorded, errors) = run(&["record", "turn.ndjson", prompt, "--", agent]);
        assert!(success, "{errors}");
        assert_eq!(recorded, format!("{answer}\n[end_turn]\n"));
        let (success, replayed, errors) = run(&["replay", "turn.ndjson", prompt]);
        assert!(success, "{replayed}{errors}");
        assert!(replayed.starts_with(&recorded) && replayed.contains("lines played"), "{replayed}");
        let agents = std::fs::read_to_string(folder.path().join("turn.ndjson")).expect("it is there");
        assert!(agents.lines().all(|line| line.starts_with('{')), "{agents}");
    }
    let (success, _, errors) = run(&["replay", "turn.ndjson"]);
    assert!(!success && errors.contains("usage: record_replay"), "{errors}");
}

/// A REPL that says nothing for so long never will: the test fails instead of hanging.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// A REPL that runs, and what it has printed so far.
#[cfg(unix)]
struct Running {
    repl: Child,
    printed: Receiver<u8>,
    seen: String,
}

#[cfg(unix)]
impl Running {
    fn start(folder: &Path) -> (Self, ChildStdin) {
        let mut repl = client(REPL, &["--", EDITOR], folder);
        let mut repl = repl.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it runs");
        let (stdin, stdout) = (repl.stdin.take().expect("a pipe"), repl.stdout.take().expect("a pipe"));
        let (tell, printed) = channel();
        std::thread::spawn(move || {
            BufReader::new(stdout).bytes().map_while(Result::ok).try_for_each(|byte| tell.send(byte).ok())
        });
        (Self { repl, printed, seen: String::new() }, stdin)
    }

    fn until(&mut self, word: &str) {
        while !self.seen.ends_with(word) {
            let byte = self.printed.recv_timeout(PATIENCE);
            let byte = byte.unwrap_or_else(|_| panic!("{word:?} never came: {}", self.seen));
            self.seen.push(char::from(byte));
        }
    }

    fn interrupt(&self) {
        let killed = Command::new("kill").args(["-INT", self.repl.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
    }
}

#[cfg(unix)]
impl Drop for Running {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        let _ = self.repl.kill();
        let _ = self.repl.wait();
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_turn_of_the_repl_and_then_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut running, mut stdin) = Running::start(folder.path());
    stdin.write_all(b"notes.txt: bread -> cake\n").expect("it reads");
    running.until("answer: ");
    running.interrupt();
    running.until("[cancelled]\n> ");
    assert!(running.seen.contains("[cancelling]"), "{}", running.seen);
    // It goes on: what is said now is a prompt again, and no answer.
    stdin.write_all(b"1\n").expect("it reads");
    running.until("[end_turn]\n> ");
    running.interrupt();
    assert!(running.repl.wait().expect("it ends").success());
    assert_eq!(notes(folder.path()), "milk\nbread\n");
}
