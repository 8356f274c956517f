//! Tests of the kit, and with it of the generated types, in one program: a module for each subject.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test stops at a broken assumption, and shows its totals with --nocapture"
)]

#[cfg(feature = "v2")]
mod both_versions;
mod check;
mod corpus;
mod faults;
mod kit;
mod line_check;
mod lines;
#[cfg(target_os = "linux")]
mod meter;
mod mock;
mod model;
#[cfg(unix)]
mod recordings;
mod seeds;
mod store;
mod transcripts;
#[cfg(feature = "v2")]
mod v2_client;
mod wire_recordings;
