//! The commands, a module each.

#[cfg(feature = "agents")]
pub(crate) mod agents;
pub(crate) mod bridge;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod check_client;
pub(crate) mod conduct;
pub(crate) mod connect;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod info;
#[cfg(feature = "inspect")]
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod mcp_shim;
pub(crate) mod mock;
mod model;
pub(crate) mod new;
mod page;
pub(crate) mod prompt;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod sessions;
mod start;
pub(crate) mod tap;
