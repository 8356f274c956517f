//! All tests of the crate that share one process.
//!
//! Each subject is a module. This runs one of them:
//! `cargo test -p acp-agent --all-features --test it turn::`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod advertised;
mod cancel;
mod capabilities;
mod checks;
mod commands;
#[cfg(all(feature = "workspace", unix))]
mod edit_file;
mod elicit;
mod expansions;
mod ext;
mod fs;
mod initialize;
#[cfg(feature = "store")]
mod journal;
mod layers;
mod macro_forms;
#[cfg(feature = "mcp")]
mod mcp;
mod message;
#[cfg(feature = "mcp")]
mod options;
mod permission;
mod plan;
mod queue;
mod reopen;
mod router;
mod schema;
mod serving;
mod sessions;
mod setup_order;
mod setup_random;
#[cfg(all(feature = "shell", unix))]
mod shell;
mod steering;
#[cfg(feature = "store")]
mod store;
mod support;
mod terminal;
mod trace_context;
mod transcripts;
mod turn;
mod turn_layers;
#[cfg(feature = "unstable")]
mod unstable;
mod updates;
mod usage;
#[cfg(feature = "v2")]
mod v2;
#[cfg(feature = "v2")]
mod v2_encoding;
#[cfg(all(feature = "store", feature = "v2"))]
mod v2_replay;
#[cfg(feature = "v2")]
mod v2_verbs;
mod validation;
mod wire_quirks;
#[cfg(all(feature = "workspace", unix))]
mod workspace;
