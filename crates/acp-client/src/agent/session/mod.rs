//! Handles of a session, and the requests that are made in it.

#[cfg(feature = "unstable")]
mod archive;
mod close;
pub(crate) mod config;
#[cfg(feature = "unstable")]
pub(crate) mod fork;
pub(crate) mod limits;
pub(crate) mod open;
pub(crate) mod place;
pub(crate) mod prompt;
pub(crate) mod replay;
pub(crate) mod response;
pub(crate) mod session;
#[cfg(feature = "unstable")]
mod status;
pub(crate) mod steer;
pub(crate) mod turn;
mod wait;
mod watch;
