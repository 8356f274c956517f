//! Tests that need a process to themselves, because they measure its memory.
//!
//! Each case is a run of this program. Its server is flooded by a client that does not read, or has
//! an agent that does not. Memory grows by no more than the budget and a tenth, and the server
//! serves afterwards.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and says where it is"
)]

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod incoming;
#[cfg(target_os = "linux")]
mod outgoing;

fn main() {
    #[cfg(target_os = "linux")]
    cases::run();
}

#[cfg(target_os = "linux")]
mod cases {
    use std::pin::Pin;
    use std::process::Command;
    use std::time::Duration;

    use crate::{incoming, outgoing};

    pub(crate) const MIB: usize = 1024 * 1024;

    /// A name, and the test of this name.
    pub(crate) type Case = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

    /// The variable that names the case of a process.
    const CASE: &str = "ACP_HTTP_MEMORY_CASE";

    fn all() -> impl Iterator<Item = Case> {
        [outgoing::CASES, incoming::CASES].into_iter().flatten().copied()
    }

    /// Plays the case that the environment names, or runs all of them. A word picks by a part of
    /// the name, as with `cargo test`.
    pub(crate) fn run() {
        if let Ok(name) = std::env::var(CASE) {
            return play(&name);
        }
        let picked = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
        let mut failed = Vec::new();
        for (name, _) in all().filter(|(name, _)| name.contains(&picked)) {
            let mut case = Command::new(std::env::current_exe().unwrap());
            // Otherwise glibc keeps freed large blocks, and for how long depends on the history.
            case.env("MALLOC_MMAP_THRESHOLD_", "131072").env("MALLOC_TRIM_THRESHOLD_", "131072");
            let passed = case.env(CASE, name).status().unwrap().success();
            eprintln!("test memory: {name} ... {}", if passed { "ok" } else { "FAILED" });
            failed.extend((!passed).then_some(name));
        }
        assert!(failed.is_empty(), "failed: {failed:?}");
    }

    fn play(name: &str) {
        let (_, case) = all().find(|(known, _)| *known == name).expect("a case of this name");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let guard = Duration::from_secs(300);
        runtime.block_on(async { tokio::time::timeout(guard, case()).await.expect("the case hangs") });
    }
}
