//! The protocol without I/O, and the budgets of a connection.

pub(crate) mod budget;
pub(crate) mod deadline;
pub mod endpoint;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod job;
pub(crate) mod panics;
