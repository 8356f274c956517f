//! The client, against a server of raw bytes.

mod behind;
mod faults;
mod insisting;
mod peer;
mod proxies;
mod raw;
pub(crate) mod script;
mod streaming;
pub(crate) mod websocket;
