//! Updates of a session.

pub(crate) mod background;
pub(crate) mod cancellable;
pub(crate) mod commands;
pub(crate) mod decisions;
pub(crate) mod directories;
pub(crate) mod outgoing;
pub(crate) mod paths;
pub(crate) mod session_updates;
pub(crate) mod settings;
pub(crate) mod state;
pub(crate) mod usage;
