//! Handles of a connected agent, and the requests that a client makes.

pub(crate) mod agent;
mod auth;
#[cfg(feature = "unstable")]
mod auth_status;
pub(crate) mod connection;
pub(crate) mod faults;
pub(crate) mod list;
#[cfg(feature = "unstable")]
mod mcp;
#[cfg(feature = "unstable")]
mod providers;
pub(crate) mod session;
pub(crate) mod shared;
