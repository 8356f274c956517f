//! What the library does before and after the handler of each operation.
//!
//! The macro and the router only know which handler belongs to which operation; everything that every agent has in
//! common is here.

pub(crate) mod answer;
pub(crate) mod auth;
pub(crate) mod close;
pub(crate) mod initialize;
pub(crate) mod lists;
pub(crate) mod open;
pub(crate) mod own;
pub(crate) mod prompt;
pub(crate) mod rows;
pub(crate) mod settings;
