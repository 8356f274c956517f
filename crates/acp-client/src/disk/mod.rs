//! Files below directories that are held open. No path leads out of them.

pub(crate) mod file_error;
pub(crate) mod lines;
pub(crate) mod replace;
#[cfg_attr(not(unix), path = "plain_rights.rs")]
mod rights;
pub(crate) mod tree;
