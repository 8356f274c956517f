//! MCP servers of proxies, and agents that know only stdio or HTTP.

mod agents;
#[cfg(feature = "mcp-http")]
mod crowds;
mod declarations;
mod ends;
#[cfg(feature = "mcp-http")]
mod http;
mod scene;
mod security;
mod stdio;

pub(crate) use self::agents::agent;
pub(crate) use self::scene::notes;
