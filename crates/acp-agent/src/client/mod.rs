//! The client: its name, its capabilities, and the cancellation of its requests.

pub(crate) mod cancel;
pub(crate) mod client;
pub(crate) mod client_capabilities;

pub(crate) use self::client::Agreed;
pub use self::client::Client;
