//! Keeps servers connected, and what is known of them current.

mod changes;
mod client;
pub(super) mod connect;
mod listen;
pub(super) mod listing;
