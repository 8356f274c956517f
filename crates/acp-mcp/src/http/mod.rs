//! MCP servers reached by HTTP: streamable, and with SSE of 2024-11-05.

mod bearer;
mod client;
mod dial;
mod errors;
mod exchange;
mod headers;
#[cfg(feature = "oauth")]
pub(crate) mod oauth;
#[cfg(feature = "sse")]
mod sse;

pub(crate) use self::client::HttpSettings;
#[cfg(feature = "__tls")]
pub use self::client::tls::{InvalidRootCertificates, TlsOptions};
pub(crate) use self::dial::HttpDial;
pub(crate) use self::errors::error_in;
