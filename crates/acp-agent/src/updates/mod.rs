//! Updates of a session: everything that its client is told of it.

pub(crate) mod decisions;
pub(crate) mod outgoing;
pub(crate) mod paths;
pub(crate) mod session_updates;
pub(crate) mod settings;
