//! What a client serves to its agent.

pub(crate) mod fs;
mod tree;
