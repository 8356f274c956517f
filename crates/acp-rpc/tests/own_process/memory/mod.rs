//! The budgets, measured in resident memory: each case is a process of its own, whose peer or
//! consumer stands still while it is flooded. Memory grows by no more than the budget and a tenth,
//! and the connection serves afterwards.

mod incoming;
mod lines;
mod outgoing;
mod requests;
mod stage;

pub(crate) const MIB: usize = 1024 * 1024;

/// The variable that names the case of a process.
const CASE: &str = "ACP_RPC_MEMORY_CASE";

type Case = (&'static str, fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>);

fn cases() -> impl Iterator<Item = Case> {
    [outgoing::CASES, incoming::CASES, lines::CASES, requests::CASES].into_iter().flatten().copied()
}

pub(crate) fn run(is_picked: impl Fn(&str) -> bool) {
    let mut failed = Vec::new();
    for (name, _) in cases().filter(|(name, _)| is_picked(&format!("memory: {name}"))) {
        let mut case = std::process::Command::new(std::env::current_exe().unwrap());
        // Otherwise glibc keeps freed large blocks, and for how long depends on the history.
        case.env("MALLOC_MMAP_THRESHOLD_", "131072").env("MALLOC_TRIM_THRESHOLD_", "131072");
        let passed = case.env(CASE, name).status().unwrap().success();
        eprintln!("test memory: {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed.extend((!passed).then_some(name));
    }
    assert!(failed.is_empty(), "failed: {failed:?}");
}

/// Runs the case that the environment names, if it names one.
pub(crate) fn plays_a_part() -> bool {
    std::env::var(CASE).is_ok_and(|name| {
        run_one(&name);
        true
    })
}

fn run_one(name: &str) {
    let (_, case) = cases().find(|(known, _)| *known == name).expect("a case of this name");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = std::time::Duration::from_secs(300);
    runtime.block_on(async { tokio::time::timeout(guard, case()).await.expect("the case hangs") });
}
