//! Handlers: what an agent is made of, and how a request reaches its handler.

pub(crate) mod agent;
pub(crate) mod arguments;
pub(crate) mod call;
pub(crate) mod functions;
pub(crate) mod incoming;
pub(crate) mod operation;
pub(crate) mod replies;
pub(crate) mod router;
