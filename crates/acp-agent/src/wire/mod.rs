//! Messages as they stand on the wire.

pub(crate) mod gate;
