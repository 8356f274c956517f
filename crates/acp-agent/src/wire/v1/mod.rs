//! Version 1: its values are the vocabulary, so most of them are written and read by their types.

mod ask;
pub(super) mod elicitation;
mod file_changes;
pub(super) mod fit;
pub(super) mod incoming;
pub(super) mod initialize;
pub(super) mod record;
pub(super) mod session;
pub(super) mod update;
