//! Handles of a connected agent, and the requests that a client makes.

#[expect(clippy::module_inception, reason = "the agent itself, beside what can be asked of it")]
pub(crate) mod agent;
mod auth;
pub(crate) mod list;
pub(crate) mod session;
#[cfg(feature = "unstable")]
pub(crate) mod unstable;
