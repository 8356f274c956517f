//! Messages in the form that they have on the wire.

pub(crate) mod gate;
pub(crate) mod session_update;
