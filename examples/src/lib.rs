//! Agents and clients to read and to run.

pub mod coding_agent;

/// The guide, of which every piece of code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/GUIDE.md")]
pub mod guide {}
