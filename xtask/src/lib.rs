//! Schema import, code generation and checks of this workspace; `cargo xtask help` lists the
//! commands.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a tool for this repository: it talks to its user and may stop at a broken assumption"
)]

pub mod changes;
pub mod codegen;
pub mod conformance;
#[cfg(test)]
mod figures_tests;
pub mod floors;
pub mod interop;
pub mod map;
pub mod output;
pub mod releases;
pub mod roundtrip;
pub mod rules;
pub mod schema;
pub mod start;
pub mod workspace;
