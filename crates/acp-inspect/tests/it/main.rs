//! Tests of the inspector, over its public API.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what a test expects, it may insist on"
)]

mod acts;
mod attacks;
#[cfg(unix)]
mod browser;
mod driven;
mod export;
mod rows;
mod rules;
mod size;
mod support;
mod transcripts;
mod typing;
mod versions;
mod views;
