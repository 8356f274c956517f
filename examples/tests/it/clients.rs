//! The clients as programs, with the agents of the examples.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
use crate::pty::Screen;

const ONE_SHOT: &str = env!("CARGO_BIN_EXE_one_shot_client");
const REPL: &str = env!("CARGO_BIN_EXE_repl_client");
const DRY_RUN: &str = env!("CARGO_BIN_EXE_editor_client");
const RECORD_REPLAY: &str = env!("CARGO_BIN_EXE_record_replay");
const ECHO: &str = env!("CARGO_BIN_EXE_echo_agent");
const EDITOR: &str = env!("CARGO_BIN_EXE_editor_agent");

/// Makes a client in a folder that has a file.
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
        assert!(!success && errors.starts_with("usage: one_shot_client"), "{args:?}: {errors}");
    }
}

#[cfg(unix)]
#[test]
fn one_shot_shows_the_reason_of_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error","data":"no credit"}}\n' "$id"
        read -r line"#;
    let client = client(ONE_SHOT, &["hello", "--", "sh", "-c", script], folder.path()).output();
    let (success, _, errors) = end(client.expect("it runs"));
    assert!(!success && errors.contains("Internal error") && errors.contains("no credit"), "{errors}");
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

/// Returns the output of the REPL for these lines.
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
fn the_repl_asks_nobody_where_there_is_no_terminal() {
    // A line from before the question is a prompt, and not an answer.
    let folder = tempfile::tempdir().expect("a folder");
    let said = talk(EDITOR, folder.path(), "notes.txt: bread -> cake\n1\n");
    assert!(said.contains("[completed] Read"), "{said}");
    assert!(said.contains("[failed] Change notes.txt") && said.contains("Say in which file"), "{said}");
    assert_eq!(notes(folder.path()), "milk\nbread\n", "{said}");
}

#[cfg(unix)]
#[test]
fn the_repl_shows_tool_calls_and_asks_on_a_terminal() {
    for (typed, text, end) in [
        ("1\n", "milk\ncake\n", "[completed] Change notes.txt"),
        ("no\n", "milk\nbread\n", "[failed] Change notes.txt"),
        // The end of the input is not consent.
        ("\u{4}", "milk\nbread\n", "[failed] Change notes.txt"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut screen = Screen::open(client(REPL, &["--", EDITOR], folder.path()));
        screen.until("> ");
        // The second line comes before the question.
        screen.type_in("notes.txt: bread -> cake\n1\n");
        let asked = screen.until("answer: ");
        assert!(asked.contains("[completed] Read"), "{asked}");
        assert!(asked.contains("permission: ") && asked.contains("  1 or y  "), "{asked}");
        screen.type_in(typed);
        let done = screen.until("[end_turn]");
        assert!(done.contains(end), "{typed:?}: {done}");
        assert_eq!(notes(folder.path()), text, "{typed:?}: {done}");
        screen.until("> ");
        screen.type_in("\u{4}");
        assert_eq!(screen.end(), Some(0));
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

#[cfg(feature = "v2")]
#[test]
fn the_environment_names_the_version_of_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    for (asked, chosen) in [("1", "1"), ("2", "2"), ("auto", "2")] {
        let mut client =
            client(RECORD_REPLAY, &["record", "turn.ndjson", "hello", "--", ECHO], folder.path());
        let output = client.env("ACP_PROTOCOL", asked).output().expect("it runs");
        assert_eq!(end(output), (true, "hello\n[end_turn]\n".into(), String::new()), "{asked}");
        let recorded = std::fs::read_to_string(folder.path().join("turn.ndjson")).expect("it is there");
        assert!(recorded.contains(&format!("\"protocolVersion\":{chosen}")), "{asked}: {recorded}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_turn_of_the_repl_and_then_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut screen = Screen::open(client(REPL, &["--", EDITOR], folder.path()));
    let interrupt = |screen: &Screen| {
        let killed = Command::new("kill").args(["-INT", screen.client.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
    };
    screen.until("> ");
    screen.type_in("notes.txt: bread -> cake\n");
    screen.until("answer: ");
    // The beginning of an answer is dropped with its question.
    screen.type_in("1");
    interrupt(&screen);
    screen.until("[cancelling]");
    screen.until("[cancelled]\r\n> ");
    // The program goes on: the next line is a prompt, and only this line.
    screen.type_in("notes.txt: bread -> cake\n");
    screen.until("permission: Change notes.txt");
    screen.until("answer: ");
    screen.type_in("n\n");
    screen.until("[end_turn]\r\n> ");
    interrupt(&screen);
    assert_eq!(screen.end(), Some(0));
    assert_eq!(notes(folder.path()), "milk\nbread\n");
}

/// An agent that asks before it opens the session.
#[cfg(unix)]
const ASKS_FIRST: &str = r#"
take() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
give() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
take; give '{"protocolVersion":1}'
take
printf '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"Trust","kind":"read","rawInput":{"folder":"/w"}},"options":[{"optionId":"yes","name":"Yes\\n  2 or n  No","kind":"allow_once"}]}}\n'
read -r answer; echo "$answer" >&2
give '{"sessionId":"s1"}'
take; exit 0"#;

#[cfg(unix)]
#[test]
fn the_repl_is_asked_before_the_session_is_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut screen = Screen::open(client(REPL, &["--", "sh", "-c", ASKS_FIRST], folder.path()));
    let asked = screen.until("answer: ");
    let wanted = "permission: Trust\r\n    kind: read\r\n    input: {\"folder\":\"/w\"}\r\n  1 or y  Yes 2 or n No\r\n";
    assert!(asked.contains(wanted), "{asked}");
    screen.type_in("1\n");
    screen.until("permission: Trust: Yes 2 or n No\r\n");
    screen.until("> ");
    screen.type_in("\u{4}");
    assert_eq!(screen.end(), Some(0));
}
