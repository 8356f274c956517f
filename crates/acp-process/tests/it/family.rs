//! Processes that start processes, and a look at those that still run.

use std::path::PathBuf;
use std::time::Duration;

use acp_process::Command;
use tokio::sync::mpsc;

use crate::support::{shell, soon};

/// A shell that starts a shell that starts a program.
///
/// All of them ignore the end of stdin. `on_term` is their answer to TERM. Each prints its process
/// id on stderr.
pub(crate) fn three_levels(on_term: &str) -> (Command, mpsc::UnboundedReceiver<u32>) {
    let script = r#"
        trap "$ON_TERM" TERM
        echo $$ >&2
        if [ "$LEVEL" -eq 1 ]; then exec sleep 1000; fi
        LEVEL=$((LEVEL - 1)) /bin/sh -c "$SCRIPT" &
        wait
    "#;
    let command = shell(script).env("SCRIPT", script).env("LEVEL", "3").env("ON_TERM", on_term);
    let (pids, receiver) = mpsc::unbounded_channel();
    (command.on_stderr(move |line| pids.send(line.parse().unwrap()).unwrap_or_default()), receiver)
}

/// The process ids of three levels, once all of them run.
pub(crate) async fn three(pids: &mut mpsc::UnboundedReceiver<u32>) -> [u32; 3] {
    let mut taken = [0; 3];
    for pid in &mut taken {
        *pid = soon("a process id", pids.recv()).await.unwrap();
    }
    assert!(taken.iter().all(|pid| is_running(*pid)));
    taken
}

/// Returns true if a process still runs. A zombie does not.
pub(crate) fn is_running(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, Some('Z' | 'X'))
}

/// Looks again and again, because no event announces it.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let come = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(what, come).await;
}

/// Waits until none of them runs. Some may stay as zombies, if their parents take no note.
pub(crate) async fn until_ended(pids: &[u32]) {
    until("the end of every process", || !pids.iter().any(|pid| is_running(*pid))).await;
}

/// Waits until none of them runs, and until the first, a child of this process, is not even a
/// zombie.
pub(crate) async fn until_gone(pids: &[u32]) {
    until_ended(pids).await;
    let leader = PathBuf::from(format!("/proc/{}", pids[0]));
    until("somebody to take note of the exit", || !leader.exists()).await;
}
