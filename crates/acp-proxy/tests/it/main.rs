//! The integration tests of acp-proxy.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod audit;
mod bridge;
mod cancellation;
mod common;
mod departures;
#[cfg(feature = "v2")]
mod diffs;
mod envelopes;
mod failures;
mod flow_control;
mod forwarding;
mod handlers;
mod initialize;
mod mcp;
#[cfg(feature = "v2")]
mod modes;
mod nested;
mod options;
mod payloads;
mod policy;
mod programs;
#[cfg(feature = "v2")]
mod replies;
mod restarts;
mod spellings;
mod taps;
#[cfg(feature = "v2")]
mod turns;
#[cfg(feature = "v2")]
mod vocabulary;
