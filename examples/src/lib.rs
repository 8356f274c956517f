//! Agents and clients to read and to run.

mod clean;
pub mod coding_agent;
mod failure;
#[cfg(feature = "tui")]
pub mod tui_client;

pub use clean::clean;
pub use failure::Failure;

/// The guides. Every piece of code in them is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/GUIDE.md")]
pub mod guide {}
