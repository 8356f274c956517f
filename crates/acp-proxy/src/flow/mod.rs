//! Messages on their way through a chain: directions, answers, cancellation.

pub(crate) mod cancel;
pub(crate) mod json;
pub(crate) mod reply;
pub(crate) mod responder;
pub(crate) mod route;
