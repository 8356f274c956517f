//! Version 2: the values of the vocabulary are encoded as it has them, and its own are decoded into
//! the vocabulary. Only this folder names its types.

pub(in crate::wire) mod accepted;
mod ask;
mod commands;
pub(in crate::wire) mod config;
mod content;
mod encode;
pub(in crate::wire) mod flow;
pub(in crate::wire) mod incoming;
pub(in crate::wire) mod initialize;
pub(in crate::wire) mod message;
pub(in crate::wire) mod offers;
mod opened;
mod requests;
mod seen;
mod state;
pub(in crate::wire) mod update;
