//! The floor: the least cost of a connection. It has one read buffer, one check for UTF-8 and one
//! parse of each line into the typed values, and one output buffer that leaves in one write. It has
//! no tables, no tasks and no limits.

mod agent;
mod client;
mod prepared;
mod v2;
mod wire;

pub(crate) use agent::serve;
pub(crate) use client::{FloorClient, Reading};
pub(crate) use v2::{FloorClientV2, serve_v2};
