//! Agent Client Protocol over the network: WebSocket and streamable HTTP, server and client.

#[cfg(all(feature = "client", any(feature = "sse", feature = "ws")))]
mod client;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(feature = "server", all(feature = "client", feature = "sse")))]
mod wire;

#[cfg(all(feature = "client", feature = "ws"))]
pub use client::ws;
#[cfg(all(feature = "client", any(feature = "sse", feature = "ws")))]
pub use client::{Authorization, Cookies, Error, Exchanged, Remote};
#[cfg(all(feature = "client", any(feature = "sse", feature = "ws"), feature = "__tls"))]
pub use client::{InvalidRootCertificates, TlsOptions};
#[cfg(all(feature = "client", feature = "sse"))]
pub use client::{Undelivered, http};
