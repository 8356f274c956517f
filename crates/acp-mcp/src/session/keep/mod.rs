//! The tasks that keep servers connected, and their lists current.

mod changes;
mod client;
mod listen;
pub(super) mod listing;
mod server_task;
pub(super) mod start;
mod subscribe;
mod subscriber;
