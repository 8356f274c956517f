//! Terminals of the agent, which the client only shows.

pub(super) const TAG: &str = "terminal_update";
