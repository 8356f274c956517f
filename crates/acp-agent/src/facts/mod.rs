//! The facts about an agent.

pub(crate) mod profile;
