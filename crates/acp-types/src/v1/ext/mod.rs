//! Hand-written additions to the generated types.

mod auth;
mod content;
pub(super) mod of_path;
mod permission;
mod plan;
mod tool_call;
mod version;
