//! Serving an agent to a client.

pub(crate) mod lifecycle;
pub(crate) mod serve;
pub(crate) mod signal;
