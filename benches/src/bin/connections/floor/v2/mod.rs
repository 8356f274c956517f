//! The floor of version 2: the same least cost, with the messages that version 2 has in a turn: the
//! prompt as it was inserted, and the states.

mod agent;
mod client;

pub(crate) use agent::serve as serve_v2;
pub(crate) use client::FloorClientV2;
