//! The facts about an agent.

pub(crate) mod capabilities;
pub(crate) mod profile;
