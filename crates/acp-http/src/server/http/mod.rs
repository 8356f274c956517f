//! Streamable HTTP: requests, streams of events, and the connections behind them.

pub(super) mod connection;
mod events;
mod fill_in;
pub(super) mod get;
mod incoming;
pub(super) mod post;
mod supervise;
