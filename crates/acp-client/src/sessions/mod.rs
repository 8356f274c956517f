//! The sessions of a connection, and the events that have come in for each.

pub(crate) mod activity;
pub(crate) mod closing;
pub(crate) mod coming;
pub(crate) mod config;
pub(crate) mod inbox;
pub(crate) mod roots;
pub(crate) mod session_state;
pub(crate) mod states;
pub(crate) mod table;
pub(crate) mod usage;
