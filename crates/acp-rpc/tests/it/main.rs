//! The integration tests of acp-rpc, a module for each subject.
//!
//! Tests that need a process to themselves are in `tests/own_process`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
mod paper;

mod backpressure;
mod calls;
mod closing;
mod codec;
mod early_answer;
mod encode;
mod endpoint;
mod first_line;
mod flush_barrier;
mod lanes;
mod layers;
mod lines;
mod messages;
mod options;
mod panics;
#[cfg(all(unix, feature = "process"))]
mod process;
mod promises;
mod recording;
mod redaction;
mod replay;
mod secrets;
mod simulated_connections;
mod simulation;
#[cfg(feature = "tracing")]
mod spans;
mod standstill;
mod strings;
mod tap;
mod timeouts;
mod trace_context;
