//! Version 2, a draft: its messages are written from values of the vocabulary and read into them.

pub(super) mod ask;
pub(super) mod auth_method;
mod background;
pub(super) mod capabilities;
mod commands;
pub(super) mod config;
mod diff;
pub(super) mod entity;
mod form;
mod git_patch;
pub(super) mod incoming;
pub(super) mod initialize;
mod line_diff;
pub(super) mod losses;
mod plan;
pub(super) mod raw;
pub(super) mod session;
pub(super) mod setup;
pub(super) mod state;
pub(super) mod terminal;
pub(super) mod tool_call;
pub(super) mod turn;
pub(super) mod update;

// Everything here is written and read by its functions.
pub(super) use acp_types::v2::as_is;
