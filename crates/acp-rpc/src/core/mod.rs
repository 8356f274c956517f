//! The protocol without I/O, and the budgets of a connection.

pub(crate) mod budget;
pub mod endpoint;
pub(crate) mod error;
pub(crate) mod fault;
