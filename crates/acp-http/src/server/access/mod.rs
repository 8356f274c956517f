//! Who may connect, and from where.

pub(super) mod authenticator;
pub(super) mod connection_id;
pub(super) mod forwarded;
pub(super) mod gate;
pub(super) mod grant;
pub(super) mod principal;
mod secret;
pub(super) mod ticket;
