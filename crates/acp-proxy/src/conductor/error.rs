//! The failure of a chain.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::chain::Failure;
use crate::shim::ShimError;

/// The failure of a chain.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConductError {
    /// A component has failed, and the chain with it.
    Component(Failure),
    /// The connection to the client has failed.
    Client(Arc<io::Error>),
    /// This program was started as a shim, and could not be one.
    Shim(Arc<ShimError>),
}

impl fmt::Display for ConductError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component(failure) => failure.fmt(f),
            Self::Shim(error) => error.fmt(f),
            Self::Client(error) => write!(f, "the connection to the client failed: {error}"),
        }
    }
}

impl std::error::Error for ConductError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Component(failure) => Some(failure),
            Self::Shim(error) => Some(&**error),
            Self::Client(error) => Some(&**error),
        }
    }
}
