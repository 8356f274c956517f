//! Version 2, a draft: its messages are written from values of the vocabulary and read into them.

pub(super) mod auth_method;
pub(super) mod capabilities;
pub(super) mod chunk;
pub(super) mod incoming;
pub(super) mod initialize;
pub(super) mod session;
pub(super) mod setup;
pub(super) mod state;
pub(super) mod turn;
