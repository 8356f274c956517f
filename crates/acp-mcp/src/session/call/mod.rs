//! Requests to a server.

#[cfg(feature = "oauth")]
pub(super) mod authorize;
#[cfg(not(feature = "oauth"))]
#[path = "no_authorize.rs"]
pub(super) mod authorize;
pub(super) mod caller;
pub(super) mod consent;
mod hints;
pub(super) mod pages;
