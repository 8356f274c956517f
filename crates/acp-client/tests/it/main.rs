//! Tests of the public API, one module for each subject.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "what a test expects, it may insist on"
)]

mod activity;
mod bookkeeping;
mod cancel;
mod checks;
mod common;
mod config;
mod connect;
mod containment;
mod elicitation;
mod expansions;
mod fs;
mod layers;
mod limits;
mod macro_handlers;
mod macro_offers;
mod macro_same;
mod methods;
mod overlay;
mod permission;
mod policy;
mod process;
mod pty;
mod reconnect;
mod recording;
mod registry;
mod restart;
mod sanitize;
#[path = "../../../acp-agent/tests/it/schema.rs"]
mod schema;
mod session;
mod session_roots;
mod slow_readers;
mod start;
mod steering;
mod store_problems;
mod terminals;
mod transcript;
mod turn;
mod unread_answers;
mod unstable;
#[cfg(feature = "v2")]
mod v2;
mod wire_quirks;
mod withdrawal;
