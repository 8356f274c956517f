//! Plain values that users pass in and get back.

pub(crate) mod elicitation;
pub(crate) mod extension;
pub(crate) mod qualified_tool;
pub(crate) mod server_info;
pub(crate) mod timeouts;
mod tool_name;
pub(crate) mod tool_outcome;
pub(crate) mod version;
