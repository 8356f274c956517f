//! Child processes: how they are started, what they print, and how they are ended with all they started.

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
