//! Every end of a guard ends the process and all that it has started.

use std::time::Duration;

use acp_process::{Child, Exit, Spawned};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::family::{three, three_levels, until_gone};
use crate::support::soon;

/// The number of runs of a case whose outcome depends on which process is faster.
const RUNS: usize = 20;

/// The answers to TERM: an exit, and none.
const ON_TERM: [&str; 2] = ["exit 0", ""];

/// Runs a case many times, some at once.
async fn often<F: Future<Output = ()> + Send + 'static>(case: impl Fn(&'static str) -> F) {
    let mut running = JoinSet::new();
    for on_term in ON_TERM.into_iter().cycle().take(RUNS) {
        if running.len() == 10 {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(case(on_term));
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

/// Waits until all are gone, and checks the exit of the first.
async fn are_gone(pids: [u32; 3], child: &Child, on_term: &str) {
    until_gone(&pids).await;
    let exit = soon("the exit", child.wait()).await;
    // On a busy machine the shell may be killed before its handler has run.
    assert!(exit.signal == Some(9) || !on_term.is_empty() && exit.status == Some(0), "{exit:?}");
}

#[tokio::test]
async fn an_end_is_the_end_of_every_process() {
    often(async |on_term| {
        let (command, mut pids) = three_levels(on_term);
        let Spawned { stdin, stdout: _stdout, child, guard, .. } = command.spawn().unwrap();
        let pids = three(&mut pids).await;
        assert_eq!(pids[0], child.pid());
        drop(stdin);
        soon("the end", guard.end()).await;
        are_gone(pids, &child, on_term).await;
    })
    .await;
}

#[tokio::test]
async fn a_guard_that_is_dropped_ends_every_process() {
    often(async |on_term| {
        let (command, mut pids) = three_levels(on_term);
        let Spawned { stdin: _stdin, stdout: _stdout, child, guard, .. } = command.spawn().unwrap();
        let pids = three(&mut pids).await;
        drop(guard);
        are_gone(pids, &child, on_term).await;
    })
    .await;
}

#[tokio::test]
async fn an_end_whose_future_is_dropped_still_kills() {
    let (command, mut pids) = three_levels("");
    let Spawned { child, guard, .. } = command.grace(Duration::MAX).spawn().unwrap();
    let pids = three(&mut pids).await;
    let ending = tokio::spawn(guard.end());
    tokio::task::yield_now().await;
    ending.abort();
    assert!(ending.await.unwrap_err().is_cancelled());
    are_gone(pids, &child, "").await;
}

#[tokio::test]
async fn who_listens_to_the_end_of_stdin_is_neither_asked_nor_killed() {
    let script = "trap 'exit 5' TERM; while read -r line; do :; done; exit 4";
    let command = crate::support::shell(script).grace(crate::support::GUARD);
    let Spawned { stdin, child, guard, .. } = command.spawn().unwrap();
    drop(stdin);
    soon("the end", guard.end()).await;
    assert_eq!(child.wait().await, Exit { status: Some(4), ..Exit::default() });
}

#[tokio::test]
async fn who_listens_to_term_is_not_killed() {
    let (command, mut pids) = three_levels("exit 7");
    let Spawned { child, guard, .. } = command.grace(Duration::from_secs(5)).spawn().unwrap();
    let pids = three(&mut pids).await;
    soon("the end", guard.end()).await;
    assert_eq!(soon("the exit", child.wait()).await.status, Some(7));
    until_gone(&pids).await;
}

/// Both kinds of runtime.
fn runtimes() -> [Runtime; 2] {
    let mut kinds = [Builder::new_current_thread(), Builder::new_multi_thread()];
    kinds.each_mut().map(|kind| kind.worker_threads(2).enable_all().build().unwrap())
}

#[test]
fn a_guard_dropped_outside_of_a_runtime_kills_every_process() {
    for runtime in runtimes() {
        let (pids, guard) = runtime.block_on(async {
            let (command, mut pids) = three_levels("exit 0");
            let Spawned { guard, .. } = command.spawn().unwrap();
            (three(&mut pids).await, guard)
        });
        drop(guard);
        runtime.block_on(until_gone(&pids));
    }
}

#[test]
fn the_end_of_a_runtime_kills_every_process() {
    for on_term in ON_TERM {
        for runtime in runtimes() {
            let (pids, _guard) = runtime.block_on(async {
                let (command, mut pids) = three_levels(on_term);
                let Spawned { guard, .. } = command.spawn().unwrap();
                (three(&mut pids).await, guard)
            });
            drop(runtime);
            Builder::new_current_thread().enable_all().build().unwrap().block_on(until_gone(&pids));
        }
    }
}
