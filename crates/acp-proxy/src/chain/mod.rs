//! A chain at work: its parts, the way of messages through them, and what happens when one fails.

mod chain;
mod component;
mod failure;
mod gate;
mod handshake;
mod sites;
mod slot;

pub use self::component::{Component, Failure, Kind};
pub use self::failure::Policy;

pub(crate) use self::chain::{Chain, Planned, Settings};
pub(crate) use self::failure::Incident;
pub(crate) use self::sites::FrontSite;
pub(crate) use self::slot::Slot;
