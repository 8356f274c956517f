//! Tests of acp-http through its public API.

#![allow(
    clippy::expect_used,
    clippy::format_push_string,
    clippy::indexing_slicing,
    clippy::type_complexity,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod both;
mod client;
mod network;
mod options;
mod order;
mod server;
mod unfinished;
