//! Child processes: their start, their output, and their end with all that they have started.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[cfg(unix)]
mod environment;
#[cfg(target_os = "linux")]
mod family;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod killed;
mod options;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod spawn;
mod support;
#[cfg(all(feature = "pty", unix))]
mod terminal;
#[cfg(windows)]
mod windows;
