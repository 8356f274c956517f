//! Version 1: its values are the vocabulary, so most of them are written and read by their types.

mod ask;
mod event;
pub(super) mod incoming;
pub(crate) mod opened_response;
