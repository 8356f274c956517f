//! Agents and clients to read and to run.

mod clean;
pub mod coding_agent;
mod failure;
#[cfg(feature = "tui")]
pub mod tui_client;
mod version;

pub use clean::clean;
pub use failure::Failure;
pub use version::in_version;

/// The guide to agents. Every piece of code in it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../crates/acp-agent/GUIDE.md")]
pub mod agent_guide {}

/// The guide to clients. Every piece of code in it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../crates/acp-client/GUIDE.md")]
pub mod client_guide {}

/// The guide to proxies. Every piece of code in it is compiled, and run where it needs no other
/// program.
#[cfg(all(doctest, feature = "proxy"))]
#[doc = include_str!("../../crates/acp-proxy/GUIDE.md")]
pub mod proxy_guide {}

/// The way from the official Rust SDK. Every piece of code in it is compiled, and run where it
/// needs no other program.
#[cfg(doctest)]
#[doc = include_str!("../../docs/MIGRATING.md")]
pub mod migrating {}

/// Recipes for agents. Every piece of code in it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/COOKBOOK.md")]
pub mod cookbook {}
