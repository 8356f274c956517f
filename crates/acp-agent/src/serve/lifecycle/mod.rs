//! The library's part of each operation, before and after the handler.
//!
//! The macro and the router only know the handlers of operations. Everything that agents have in
//! common is here.

pub(crate) mod auth;
pub(crate) mod close;
pub(crate) mod command;
#[cfg(feature = "v2")]
pub(crate) mod entity;
pub(crate) mod initialize;
pub(crate) mod open;
pub(crate) mod outside;
pub(crate) mod prompt;
pub(crate) mod rows;
pub(crate) mod settings;
pub(crate) mod steer;
