//! Requests to a server.

#[cfg(feature = "oauth")]
pub(super) mod authorize;
#[cfg(not(feature = "oauth"))]
#[path = "no_authorize.rs"]
pub(super) mod authorize;
pub(super) mod caller;
mod consent;
mod failure;
mod hints;
mod input;
pub(super) mod options;
pub(super) mod pages;
mod tool;
mod web_pages;
