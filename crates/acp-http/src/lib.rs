//! Agent Client Protocol over the network: WebSocket and streamable HTTP, server and client.

#[cfg(all(feature = "client", any(feature = "sse", feature = "ws")))]
mod client;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(
    feature = "server",
    all(feature = "client", any(feature = "sse", feature = "ws")),
    feature = "__wire"
))]
#[cfg_attr(
    all(feature = "__wire", not(all(feature = "server", feature = "client", feature = "sse"))),
    allow(dead_code, unused_imports, reason = "it is only checked")
)]
mod wire;

#[cfg(all(feature = "client", feature = "ws"))]
pub use client::ws;
#[cfg(all(feature = "client", any(feature = "sse", feature = "ws")))]
pub use client::{Authorization, Cookies, Error, Exchanged, Remote};
#[cfg(all(feature = "client", any(feature = "sse", feature = "ws"), feature = "__tls"))]
pub use client::{InvalidClientCertificate, InvalidRootCertificates, TlsOptions};
#[cfg(all(feature = "client", feature = "sse"))]
pub use client::{Undelivered, http};
#[cfg(any(
    all(feature = "server", feature = "ws"),
    all(feature = "client", any(feature = "sse", feature = "ws")),
    feature = "__wire"
))]
pub use wire::unfinished::Unfinished;
