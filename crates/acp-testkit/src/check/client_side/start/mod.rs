//! The start of a client, and the agent's end of its pipes.

pub(super) mod agent_side;
pub(super) mod process;
pub(super) mod running;
pub(super) mod target;
pub(super) mod words;
