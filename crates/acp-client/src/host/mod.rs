//! What a client serves to its agent.

mod command;
pub(crate) mod fs;
mod scrollback;
pub(crate) mod terminal;
pub(crate) mod terminals;
mod tree;
