//! The budgets, measured in resident memory: each case is a process of its own, whose peer or consumer stands
//! still while it is flooded. Memory grows by no more than the budget and a tenth, and the connection serves
//! afterwards.
//!
//! This program starts itself once for each case.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(clippy::print_stderr, reason = "what was measured is worth seeing")]

#[cfg(target_os = "linux")]
mod incoming;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod meter;
#[cfg(target_os = "linux")]
mod outgoing;
#[cfg(target_os = "linux")]
mod requests;
#[cfg(target_os = "linux")]
mod stage;

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("test memory: skipped, because resident memory is read from /proc");
}

#[cfg(target_os = "linux")]
fn main() {
    match std::env::var(CASE) {
        Ok(name) => run_one(&name),
        Err(_) => run_all(std::env::args().nth(1).filter(|argument| !argument.starts_with('-')).as_deref()),
    }
}

/// Names the case that a process is to run.
#[cfg(target_os = "linux")]
const CASE: &str = "ACP_RPC_MEMORY_CASE";

#[cfg(target_os = "linux")]
type Case = (&'static str, fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>);

#[cfg(target_os = "linux")]
fn cases() -> impl Iterator<Item = Case> {
    [outgoing::CASES, incoming::CASES, lines::CASES, requests::CASES].into_iter().flatten().copied()
}

#[cfg(target_os = "linux")]
fn run_all(filter: Option<&str>) {
    let mut failed = Vec::new();
    for (name, _) in cases().filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter))) {
        let mut case = std::process::Command::new(std::env::current_exe().unwrap());
        // Otherwise glibc keeps large blocks that were given back, for how long depends on what went before.
        case.env("MALLOC_MMAP_THRESHOLD_", "131072").env("MALLOC_TRIM_THRESHOLD_", "131072");
        let passed = case.env(CASE, name).status().unwrap().success();
        eprintln!("test memory: {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed.extend((!passed).then_some(name));
    }
    assert!(failed.is_empty(), "failed: {failed:?}");
}

#[cfg(target_os = "linux")]
fn run_one(name: &str) {
    let (_, case) = cases().find(|(known, _)| *known == name).expect("a case of this name");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = std::time::Duration::from_secs(300);
    runtime.block_on(async { tokio::time::timeout(guard, case()).await.expect("the case hangs") });
}
