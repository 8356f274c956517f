//! The reasons why a server does not listen.

use std::error::Error;
use std::{fmt, io};

#[cfg(feature = "server-tls-no-provider")]
use crate::server::tls::TlsError;

/// The reason why a server does not listen.
#[derive(Debug)]
#[non_exhaustive]
pub enum ListenError {
    /// The address cannot be bound.
    Io(io::Error),
    /// The options for TLS are not usable.
    #[cfg(feature = "server-tls-no-provider")]
    Tls(TlsError),
    /// The address lies beyond this machine, and TLS is missing.
    Insecure,
    /// The address lies beyond this machine, and nobody authenticates.
    Open,
    /// The address lies beyond this machine, and the names of the server are not known.
    Hosts,
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            #[cfg(feature = "server-tls-no-provider")]
            Self::Tls(error) => error.fmt(f),
            Self::Insecure => f.write_str(
                "the address lies beyond this machine, and there is no TLS: set `Options::tls`, bind 127.0.0.1 behind a \
                 proxy that has TLS, or set `Options::insecure`",
            ),
            Self::Open => f.write_str(
                "the address lies beyond this machine, and nobody authenticates: set `Options::token` or \
                 `Options::authorize`, or `Options::open`",
            ),
            Self::Hosts => f.write_str(
                "the address lies beyond this machine: name the server by `Options::host`, or set \
                 `Options::any_host`",
            ),
        }
    }
}

impl Error for ListenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            #[cfg(feature = "server-tls-no-provider")]
            Self::Tls(error) => Some(error),
            Self::Insecure | Self::Open | Self::Hosts => None,
        }
    }
}

impl From<io::Error> for ListenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
