//! The floor: what a connection costs at least. One read buffer, one check for UTF-8 and one parse of
//! each line into the same typed values, one output buffer that leaves in one write; no tables, no tasks, no limits.

mod agent;
mod client;
mod prepared;
mod wire;

pub(crate) use agent::serve;
pub(crate) use client::{FloorClient, Reading};
