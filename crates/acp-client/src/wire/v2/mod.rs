//! Version 2: the values of the vocabulary are encoded as it has them, and its own are decoded into
//! the vocabulary. Only this folder names its types.

pub(in crate::wire) mod accepted;
mod ask;
mod blocks;
mod commands;
pub(in crate::wire) mod config;
pub(in crate::wire) mod diff;
mod elicitation;
mod encode;
mod event;
pub(in crate::wire) mod flow;
pub(in crate::wire) mod incoming;
pub(in crate::wire) mod initialize;
pub(in crate::wire) mod known;
pub(in crate::wire) mod message;
pub(in crate::wire) mod offers;
mod opened;
mod piece;
mod plan;
mod requests;
mod seen;
mod state;
pub(in crate::wire) mod steering;
mod terminal;
mod tool_call;
mod unknown;
pub(in crate::wire) mod update;

// Everything here is written and read by its functions.
use acp_types::v2::as_is;
