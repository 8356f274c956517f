//! The client: who is at the other end, what it offers, and how its requests are cancelled.

pub(crate) mod cancel;
pub(crate) mod client;
pub(crate) mod client_capabilities;
pub(crate) mod ids;

pub(crate) use self::client::Agreed;
pub use self::client::Client;
