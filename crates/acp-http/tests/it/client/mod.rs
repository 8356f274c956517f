//! The client, against a server of raw bytes.

mod peer;
mod raw;
pub(crate) mod websocket;
