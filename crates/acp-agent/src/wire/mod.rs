//! Messages as they stand on the wire.

pub(crate) mod gate;
pub(crate) mod session_update;
