//! Who may connect, and from where.

pub(super) mod connection_id;
pub(super) mod gate;
pub(super) mod principal;
