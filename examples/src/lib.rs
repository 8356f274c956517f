//! Agents and clients to read and to run.

pub mod coding_agent;
