//! Files that cannot be written, agents that are killed, and editors that leave.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Command;

use super::{entries, file_in, finish, read, reason, run, tap};

#[test]
fn a_file_that_cannot_be_written_is_told_once_and_the_bytes_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let (blocker, _) = file_in(&folder, "blocker");
    fs::write(&blocker, "").expect("written");
    let below = blocker.join("r.ndjson").display().to_string();
    let input = "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n".repeat(50_000);
    let full = if cfg!(target_os = "linux") { "/dev/full" } else { below.as_str() };
    for to in [full, &below] {
        let tapped = run(&mut tap(&["--to", to], "cat; exit 3", &[]), input.as_bytes());
        assert!(tapped.out == input.as_bytes() && tapped.code == Some(3), "{to}");
        let problem = tapped.problem();
        let told = format!("acp: the recording {to} cannot be written, and the connection goes on: ");
        assert!(problem.starts_with(&told) && problem.lines().count() == 1, "{problem}");
    }
}

#[test]
fn a_file_that_nobody_takes_holds_nothing_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, to) = file_in(&folder, "pipe");
    assert!(Command::new("mkfifo").arg(&to).status().expect("mkfifo runs").success());
    let input = "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n".repeat(1_000_000);
    let tapped = run(&mut tap(&["--to", &to], "cat", &[]), input.as_bytes());
    assert!(tapped.out == input.as_bytes() && tapped.code == Some(0), "{}", tapped.problem());
    assert!(tapped.problem().contains("could not be written in time"), "{}", tapped.problem());
}

#[test]
fn an_agent_that_is_killed_ends_the_tap_with_its_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, to) = file_in(&folder, "r.ndjson");
    let mut tap = tap(&["--to", &to], "echo $$; read -r never", &[]).spawn().expect("acp runs");
    let mut pid = String::new();
    let mut stdout = BufReader::new(tap.stdout.take().expect("is piped"));
    stdout.read_line(&mut pid).expect("it tells");
    // The editor does not hang up.
    let _stdin = tap.stdin.take();
    let killed = Command::new("kill").args(["-KILL", pid.trim()]).status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(finish(tap).code, Some(137));
    assert!(reason(&file).contains("signal: 9"), "{}", reason(&file));
    assert_eq!(entries(&file).len(), 1);
}

#[test]
fn signals_are_passed_on() {
    for (signal, code) in [("TERM", 41), ("HUP", 42), ("INT", 43)] {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, to) = file_in(&folder, "r.ndjson");
        let script = "trap 'kill $!; exit 41' TERM; trap 'kill $!; exit 42' HUP; trap 'kill $!; exit 43' INT
            sleep 1000 > /dev/null 2>&1 & echo ready; wait $!";
        let mut tap = tap(&["--to", &to], script, &[]).spawn().expect("acp runs");
        let mut stdout = tap.stdout.take().expect("is piped");
        read(&mut stdout, 6);
        let _stdin = tap.stdin.take();
        let killed = Command::new("kill").args([&format!("-{signal}"), &tap.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(finish(tap).code, Some(code), "{signal}");
        assert!(reason(&file).contains(&code.to_string()), "{}", reason(&file));
    }
}

#[test]
fn an_editor_that_leaves_is_seen_by_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, to) = file_in(&folder, "r.ndjson");
    // It closes the agent's stdin.
    let mut process = tap(&["--to", &to], "cat; exit 5", &[]).spawn().expect("acp runs");
    let mut stdin = process.stdin.take().expect("is piped");
    stdin.write_all(b"no line end").expect("is written");
    drop(stdin);
    let tapped = finish(process);
    assert_eq!((tapped.code, tapped.out.as_slice()), (Some(5), b"no line end".as_slice()));
    assert_eq!(entries(&file).len(), 2);
    // It reads no more: a program that writes on and on ends as it would without the tap.
    let mut process = tap(&["--to", &to], "exec yes", &[]).spawn().expect("acp runs");
    let mut stdout = process.stdout.take().expect("is piped");
    read(&mut stdout, 1000);
    drop(stdout);
    let _stdin = process.stdin.take();
    let tapped = finish(process);
    assert_eq!(tapped.code, Some(141));
    assert!(reason(&file).contains("signal: 13"), "{}", reason(&file));
}

/// The agent has exited, and the editor reads its last words when it likes.
#[test]
fn an_editor_may_be_slow_after_the_end_of_the_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, to) = file_in(&folder, "r.ndjson");
    // It is more than both pipes hold, so the last of it is passed on after the exit.
    let script = "head -c 150000 /dev/zero; echo $$ >&2; exit 4";
    let mut process = tap(&["--to", &to], script, &[]).spawn().expect("acp runs");
    let _stdin = process.stdin.take();
    let mut stderr = BufReader::new(process.stderr.take().expect("is piped"));
    stderr.read_line(&mut String::new()).expect("it has written all");
    // A second is the time for an agent's last bytes. This is a slow editor, and no
    // synchronisation.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let tapped = finish(process);
    assert_eq!((tapped.code, tapped.out.len()), (Some(4), 150_000));
}

#[test]
fn an_agent_that_reads_no_more_holds_nothing_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let [(_, to), (go, pipe)] = ["r.ndjson", "pipe"].map(|name| file_in(&folder, name));
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let script = "exec 0<&-; echo done; read -r go < \"$1\"; exit 6";
    let mut process = tap(&["--to", &to], script, &[&pipe]).spawn().expect("acp runs");
    let mut stdout = process.stdout.take().expect("is piped");
    read(&mut stdout, 5);
    let mut stdin = process.stdin.take().expect("is piped");
    stdin.write_all("words\n".repeat(500_000).as_bytes()).expect("all of it is taken");
    fs::write(&go, "go\n").expect("it reads");
    assert_eq!(finish(process).code, Some(6));
}

#[test]
fn an_agent_that_is_missing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, to) = file_in(&folder, "r.ndjson");
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["tap", "--to", &to, "--", "/nonexistent/agent"]);
    super::bare(&mut command);
    let tapped = run(&mut command, b"");
    assert_eq!(tapped.code, Some(1));
    assert!(tapped.problem().starts_with("acp: cannot start `/nonexistent/agent`: "), "{}", tapped.problem());
}
