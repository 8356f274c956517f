//! Agent Client Protocol over the network: WebSocket and streamable HTTP, server and client.
//!
//! The default features are none, so a program names its side and its ways:
//!
//! ```toml
//! acp-http = { git = "https://github.com/acp-rs/acp", rev = "<commit>", features = ["server", "ws"] }
//! ```
//!
//! A server gives each connection a transport, over which an agent is served. A client connects by
//! a [`Remote`], which `acp_client::connect` takes:
//!
#![cfg_attr(all(feature = "client", feature = "server", feature = "ws"), doc = "```no_run")]
#![cfg_attr(not(all(feature = "client", feature = "server", feature = "ws")), doc = "```ignore")]
//! use acp_agent::{Result, StopReason, Turn, agent};
//! use acp_http::server::{Options, Principal, Server};
//!
//! struct Greeter;
//!
//! #[agent(name = "greeter")]
//! impl Greeter {
//!     async fn prompt(&self, turn: Turn) -> Result<StopReason> {
//!         turn.say("Hello.").await?;
//!         Ok(StopReason::EndTurn)
//!     }
//! }
//!
//! # async fn run() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let options = Options::new().token("secret", Principal::new("alice"));
//! let server = Server::new(options, |transport, _remote| acp_agent::serve(Greeter, transport));
//! let listening = server.listen("127.0.0.1:8080").await?;
//!
//! let agent = acp_client::connect(acp_http::ws("ws://127.0.0.1:8080/acp").bearer("secret")).await?;
//! # agent.close().await;
//! listening.shutdown(std::time::Duration::from_secs(10)).await;
//! # Ok(()) }
//! ```
//!
//! [REMOTE](https://github.com/acp-rs/acp/blob/main/docs/REMOTE.md) has the security, the limits and
//! the deployment of servers, and the behaviour of clients on bad networks.
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `server` | `server::Server`: an agent for each connection over HTTP, and a listener |
//! | `client` | transports to an agent of another machine, over those of the next two that are on |
//! | `ws` | WebSocket, on the sides that are on: `ws` for a client |
//! | `sse` | HTTP with streams of events for a client: `http`. A server always has it |
//! | `server-tls` | the TLS of the listener, by rustls with ring, unless the program has installed another provider |
//! | `server-tls-no-provider` | the same without ring: the program calls `CryptoProvider::install_default` of rustls first |
//! | `tls-rustls` | `https` and `wss` of a client, by rustls with ring, unless the program has installed another provider |
//! | `tls-rustls-no-provider` | the same without ring |
//! | `tls-native` | `https` and `wss` of a client, by the TLS library of the operating system |

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
