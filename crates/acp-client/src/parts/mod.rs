//! Ready-made clients. Each serves some of the methods that an agent may call.

pub(crate) mod elicitation;
pub(crate) mod fs;
#[cfg(feature = "mcp")]
mod mcp;
pub(crate) mod permission;
mod refusal;
pub(crate) mod terminals;
