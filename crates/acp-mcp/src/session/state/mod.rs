//! The state of a session and of each of its servers.

pub(super) mod entry;
pub(super) mod event;
pub(super) mod notify;
pub(super) mod options;
mod received;
pub(super) mod shared;
pub(super) mod subscriptions;
