//! The remains of a connection after its end.

use std::fs;
use std::time::Instant;

use tokio::runtime::{Builder, Handle};

use crate::common::GUARD;

/// Plays a case on a runtime with this many workers, or on this thread, and checks that it leaves
/// nothing behind.
pub(crate) fn none_of(workers: usize, case: impl Future<Output = ()>) {
    let mut builder = match workers {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(workers.max(1)).enable_all().build().unwrap();
    let before = threads();
    runtime.block_on(case);
    let tasks = || Handle::current().metrics().num_alive_tasks();
    runtime.block_on(until("the end of every task", || tasks() == 0));
    runtime.block_on(until("the end of every thread", || threads() == before));
    runtime.block_on(until("the end of every process", || children().is_empty()));
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").unwrap().count()
}

/// Returns the process ids of children, with those that have exited and were not waited for.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    let is_child =
        |stat: &str| stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)) == Some(&own);
    let stats = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok());
    stats.filter(|stat| is_child(stat)).collect()
}

/// Polls until the condition holds, because nothing else tells it.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < GUARD, "waited in vain for {what}");
        tokio::task::yield_now().await;
    }
}
