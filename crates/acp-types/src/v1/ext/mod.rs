//! Hand-written additions to the generated types.

mod auth;
mod config_value;
mod content;
mod permission;
mod plan;
mod tool_call;
mod version;
