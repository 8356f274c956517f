//! HTTP as this crate does it: clients with the settings of a session.

mod clients;
#[cfg(feature = "__tls")]
pub(super) mod tls;

pub(super) use clients::Clients;
