//! The protocol without I/O, the budgets of a connection, and what ends or disturbs one.

pub(crate) mod budget;
pub(crate) mod deadline;
pub mod endpoint;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod job;
pub(crate) mod panics;
