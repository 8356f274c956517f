//! Commands of the agent as processes of this machine.

pub(crate) mod command;
pub(crate) mod local_terminals;
mod scrollback;
pub(crate) mod terminal;
mod terminal_table;
