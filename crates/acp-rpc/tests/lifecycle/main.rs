//! The end of a connection in every way there is: whoever waits learns the reason, handlers are stopped, and no task,
//! thread or process survives. Each case has a process of its own, so that all there is to count belongs to it.

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
    if let Ok(name) = std::env::var(CASE) {
        let case = scene::cases().into_iter().find(|case| case.name == name).unwrap();
        survivors::none_of(|| case.play());
        return;
    }
    // As `cargo test` does, takes a part of a name to pick cases by.
    let picked = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let play = |name: &'static str| {
        (name, Command::new(std::env::current_exe().unwrap()).env(CASE, name).spawn().unwrap())
    };
    let names = scene::cases().into_iter().map(|case| case.name).filter(|name| name.contains(&picked));
    let mut playing: Vec<_> = names.map(play).collect();
    for (name, process) in &mut playing {
        let status = process.wait().unwrap();
        eprintln!("test lifecycle: {name} ... {}", if status.success() { "ok" } else { "FAILED" });
    }
    assert!(playing.iter_mut().all(|(_, process)| process.wait().unwrap().success()), "cases failed");
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("test lifecycle: skipped, because threads and processes are counted in /proc");
}
