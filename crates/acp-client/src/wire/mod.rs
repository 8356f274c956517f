//! Messages on their way from the wire.

pub(crate) mod moment;
pub(crate) mod opened_response;
