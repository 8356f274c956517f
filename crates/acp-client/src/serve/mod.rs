//! Handlers of an agent's requests: registration, calls and answers.

pub(crate) mod arguments;
pub(crate) mod call;
pub(crate) mod cancel;
pub(crate) mod capabilities;
pub(crate) mod client;
pub(crate) mod context;
pub(crate) mod elicitation;
pub(crate) mod handlers;
pub(crate) mod router;
pub(crate) mod serve_op;
pub(crate) mod service;
