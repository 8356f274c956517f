//! Handlers: the parts of an agent, and their arguments.

pub(crate) mod agent;
pub(crate) mod arguments;
pub(crate) mod commands;
pub(crate) mod on_session;
pub(crate) mod router;
pub(crate) mod scope;
