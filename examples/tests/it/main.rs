//! Tests of the examples, in one program: a module for each example or part.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what a test expects, it may insist on"
)]

mod common;
#[cfg(unix)]
mod pty;

#[cfg(feature = "openai")]
mod checked;
mod clients;
mod coding_agent;
#[cfg(all(unix, feature = "mcp"))]
mod every_client;
#[cfg(unix)]
mod file_errors;
#[cfg(unix)]
mod inspector;
mod instruction;
#[cfg(feature = "mcp")]
mod mcp_agent;
#[cfg(feature = "mcp-over-acp")]
mod mcp_over_acp;
#[cfg(feature = "openai")]
mod openai;
#[cfg(feature = "store")]
mod persistent_agent;
mod programs;
#[cfg(all(feature = "openai", feature = "proxy"))]
mod quiet_proxy;
#[cfg(all(unix, feature = "remote"))]
mod remote;
#[cfg(feature = "openai")]
mod sse;
#[cfg(all(feature = "mcp", feature = "proxy"))]
mod tool_proxy;
#[cfg(feature = "tui")]
mod tui_client;
#[cfg(all(unix, feature = "tui"))]
mod tui_terminal;
