//! Tests that need a process to themselves, and a `main` of their own: they take its stdin and
//! stdout, count its threads and children, or measure its memory.
//!
//! This program starts itself for each case and for each part in one. A variable of the environment
//! says which.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says where it is"
)]

#[path = "../it/common.rs"]
mod common;
#[cfg(all(feature = "process", feature = "stdio"))]
mod faults;
#[cfg(all(feature = "process", target_os = "linux"))]
mod lifecycle;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(all(feature = "process", feature = "stdio", unix))]
mod stdio;

fn main() {
    if plays_a_part() {
        return;
    }
    // Picks cases by a part of their name, as `cargo test` does. Names begin with the module:
    // `memory: `.
    let picked = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let is_picked = |name: &str| name.contains(&picked);
    #[cfg(all(feature = "process", feature = "stdio", unix))]
    stdio::run(is_picked);
    #[cfg(all(feature = "process", target_os = "linux"))]
    lifecycle::run(is_picked);
    #[cfg(target_os = "linux")]
    memory::run(is_picked);
    // Comes last: it silences panics that belong to its cases.
    #[cfg(all(feature = "process", feature = "stdio"))]
    faults::run(is_picked);
}

/// Plays the part for which another run of this program started this one, if one did.
fn plays_a_part() -> bool {
    #[cfg(all(feature = "process", feature = "stdio", unix))]
    if stdio::plays_a_part() {
        return true;
    }
    #[cfg(all(feature = "process", target_os = "linux"))]
    if lifecycle::plays_a_part() {
        return true;
    }
    #[cfg(target_os = "linux")]
    if memory::plays_a_part() {
        return true;
    }
    #[cfg(all(feature = "process", feature = "stdio"))]
    if faults::plays_a_part() {
        return true;
    }
    false
}
