//! What a client serves to its agent.

mod command;
mod file_error;
pub(crate) mod fs;
mod lines;
pub(crate) mod overlay;
mod replace;
#[cfg_attr(not(unix), path = "plain_rights.rs")]
mod rights;
pub(crate) mod roots;
mod scrollback;
pub(crate) mod terminal;
mod terminal_table;
pub(crate) mod terminals;
mod tree;
mod withdrawn;
