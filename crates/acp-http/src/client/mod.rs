//! The side that reaches agents of other machines.

mod authorization;
mod cookies;
mod error;
mod exchange;
mod remote;
mod settings;
#[cfg(feature = "__tls")]
mod tls;
mod ws;

pub use self::authorization::Authorization;
pub use self::cookies::Cookies;
pub use self::error::{Error, Exchanged};
pub use self::remote::{Remote, ws};
#[cfg(feature = "__tls")]
pub use self::tls::{InvalidRootCertificates, TlsOptions};
