//! Handlers: the parts of an agent, and the way of a request to them.

pub(crate) mod agent;
pub(crate) mod arguments;
pub(crate) mod call;
pub(crate) mod functions;
pub(crate) mod incoming;
pub(crate) mod operation;
pub(crate) mod replies;
pub(crate) mod router;
