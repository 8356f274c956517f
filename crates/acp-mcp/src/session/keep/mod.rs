//! Keeps servers connected, and what is known of them current.

mod changes;
mod client;
mod listen;
pub(super) mod listing;
mod server_task;
pub(super) mod start;
mod subscribe;
mod subscriber;
