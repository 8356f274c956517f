//! Messages on their way from the wire.

pub(crate) mod opened_response;
