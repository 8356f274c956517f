//! The end of a connection in every way there is: whoever waits learns the reason, handlers are stopped, and no task,
//! thread or process survives. Each case has a process of its own on either kind of runtime, so that all there is to
//! count belongs to it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says where it is"
)]

#[path = "../common/mod.rs"]
mod common;
#[cfg(target_os = "linux")]
mod scene;
#[cfg(target_os = "linux")]
mod survivors;

#[cfg(target_os = "linux")]
fn main() {
    use std::process::Command;

    const CASE: &str = "ACP_RPC_TEST_CASE";
    const WORKERS: &str = "ACP_RPC_TEST_WORKERS";
    if let Ok(name) = std::env::var(CASE) {
        let case = scene::cases().into_iter().find(|case| case.name == name).unwrap();
        let workers = std::env::var(WORKERS).unwrap().parse().unwrap();
        survivors::none_of(workers, case.play());
        return;
    }
    // As `cargo test` does, takes a part of a name to pick cases by.
    let picked = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let play = |(name, workers): (&'static str, u8)| {
        let mut process = Command::new(std::env::current_exe().unwrap());
        (name, workers, process.env(CASE, name).env(WORKERS, workers.to_string()).spawn().unwrap())
    };
    let names = scene::cases().into_iter().map(|case| case.name).filter(|name| name.contains(&picked));
    // All at once, because most of the time they wait.
    let mut playing: Vec<_> = names.flat_map(|name| [(name, 0), (name, 2)]).map(play).collect();
    for (name, workers, process) in &mut playing {
        let passed = process.wait().unwrap().success();
        eprintln!("test lifecycle: {name} ({workers} workers) ... {}", if passed { "ok" } else { "FAILED" });
    }
    assert!(playing.iter_mut().all(|(_, _, process)| process.wait().unwrap().success()), "cases failed");
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("test lifecycle: skipped, because threads and processes are counted in /proc");
}
