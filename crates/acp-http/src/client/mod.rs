//! The side that reaches agents of other machines.

mod authorization;
mod cookies;
mod error;
mod exchange;
mod remote;
mod settings;
#[cfg(feature = "sse")]
mod streaming;
#[cfg(feature = "__tls")]
mod tls;
#[cfg(feature = "sse")]
mod undelivered;
#[cfg(feature = "ws")]
mod ws;

pub use self::authorization::Authorization;
pub use self::cookies::Cookies;
pub use self::error::{Error, Exchanged};
pub use self::remote::Remote;
#[cfg(feature = "sse")]
pub use self::remote::http;
#[cfg(feature = "ws")]
pub use self::remote::ws;
#[cfg(feature = "__tls")]
pub use self::tls::{InvalidClientCertificate, InvalidRootCertificates, TlsOptions};
#[cfg(feature = "sse")]
pub use self::undelivered::Undelivered;
