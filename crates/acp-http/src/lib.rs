//! Agent Client Protocol over the network: WebSocket and streamable HTTP, server and client.

#[cfg(all(feature = "client", feature = "ws"))]
mod client;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
mod wire;

#[cfg(all(feature = "client", feature = "ws"))]
pub use client::{Authorization, Cookies, Error, Exchanged, Remote, ws};
#[cfg(all(feature = "client", feature = "ws", feature = "__tls"))]
pub use client::{InvalidRootCertificates, TlsOptions};
