//! Files below roots: what is reached, what is read and written, and what stays as it was.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[cfg(unix)]
mod containment;
#[cfg(unix)]
mod list;
mod options;
mod place;
mod read;
#[cfg(target_os = "linux")]
mod shared;
#[cfg(unix)]
mod ways_out;
#[cfg(unix)]
mod write;
