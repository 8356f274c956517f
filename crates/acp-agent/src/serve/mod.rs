//! Service of an agent to a client.

pub(crate) mod dispatch;
pub(crate) mod lifecycle;
pub(crate) mod peek;
pub(crate) mod serve;
pub(crate) mod signal;
pub(crate) mod stored;
