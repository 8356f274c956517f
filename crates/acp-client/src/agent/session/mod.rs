//! Handles of a session, and the requests that are made in it.

mod close;
pub(crate) mod config;
pub(crate) mod open;
pub(crate) mod replay;
#[expect(clippy::module_inception, reason = "the session itself, beside what can be asked of it")]
pub(crate) mod session;
pub(crate) mod turn;
