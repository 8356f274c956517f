//! A command never outlives its limit, and neither does anything that it started.

use std::process::Command;
use std::time::Duration;

use super::process::{self, Ended};

const LIMIT: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn output_and_status_of_a_command_that_ends() {
    let logs = tempfile::tempdir().unwrap();
    let outcome = process::run(shell("echo out; echo err >&2; exit 3"), LIMIT, logs.path(), None).unwrap();
    assert!(matches!(outcome.ended, Ended::Exited(status) if status.code() == Some(3)), "{outcome:?}");
    assert_eq!(outcome.stdout, "out\n");
    let log = |name| std::fs::read_to_string(logs.path().join(name)).unwrap();
    assert_eq!(log(process::STDOUT), "out\n");
    assert_eq!(log(process::STDERR), "err\n");
}

#[test]
fn at_the_limit_the_whole_group_ends_even_when_it_ignores_sigterm() {
    let logs = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; sleep 600 & echo $!; wait";
    let outcome = process::run(shell(script), Duration::from_secs(2), logs.path(), None).unwrap();
    assert!(matches!(outcome.ended, Ended::TimedOut), "{outcome:?}");
    let grandchild = outcome.stdout.trim();
    assert!(!grandchild.is_empty(), "the script did not start in time");
    // An orphan that was killed may stay a zombie where nobody reaps it; it holds no open files any
    // more.
    let state = shell(&format!("ps -o stat= -p {grandchild}")).output().unwrap().stdout;
    assert!(state.is_empty() || state.starts_with(b"Z"), "the grandchild lives: {state:?}");
}

#[test]
fn the_interrupt_comes_once_the_text_was_printed() {
    if ignores_interrupts() {
        eprintln!("skipped: this process was started to ignore SIGINT, and no shell below it can trap it");
        return;
    }
    let logs = tempfile::tempdir().unwrap();
    let script = "trap 'echo caught; exit 7' INT; printf rea; printf 'dy\\n'; sleep 600 & wait";
    let outcome = process::run(shell(script), LIMIT, logs.path(), Some("ready")).unwrap();
    assert_eq!(outcome.stdout, "ready\ncaught\n");
    assert!(matches!(outcome.ended, Ended::Exited(status) if status.code() == Some(7)), "{outcome:?}");
}

/// Returns true if SIGINT is ignored here, as in a job that a script put into the background.
/// Children inherit that.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 0b10 != 0
}
