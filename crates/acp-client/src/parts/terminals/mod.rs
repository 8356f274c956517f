//! Commands of the agent as processes of this machine.

pub(crate) mod command;
pub(crate) mod local_terminals;
pub(crate) mod terminal;
mod terminal_table;
