//! The failure of a shim.

use std::fmt;
use std::io;

use super::TOKEN;

/// The reason why a shim could not carry the lines of an MCP server.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShimError {
    /// The address in the environment is none of a conductor on this machine.
    BadAddress,
    /// The environment has no token.
    NoToken,
    /// Nobody listens at the address of the conductor.
    Unreachable(io::Error),
    /// The conductor does not know the token: the session of the server has ended, or never was.
    Refused,
    /// The connection has broken off.
    Broken(io::Error),
}

impl fmt::Display for ShimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadAddress => f.write_str("the address of the conductor is not one on this machine"),
            Self::NoToken => {
                write!(f, "the variable `{TOKEN}` is missing: pass all variables of the server on")
            }
            Self::Unreachable(error) => write!(f, "the conductor cannot be reached: {error}"),
            Self::Refused => {
                f.write_str("the conductor has refused: the session of this MCP server has ended")
            }
            Self::Broken(error) => write!(f, "the connection to the conductor has broken off: {error}"),
        }
    }
}

impl std::error::Error for ShimError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreachable(error) | Self::Broken(error) => Some(error),
            Self::BadAddress | Self::NoToken | Self::Refused => None,
        }
    }
}
