//! A message as an observer sees it.

use crate::flow::route::Toward;

/// A message that passes a proxy. Its values are the JSON text that came.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Observed<'a> {
    /// A request.
    Request {
        /// Its number, which its answer has too. Numbers count up from 0 for each proxy.
        number: u64,
        /// The direction.
        toward: Toward,
        /// The method.
        method: &'a str,
        /// The params.
        params: Option<&'a str>,
    },
    /// A notification.
    Notification {
        /// The direction.
        toward: Toward,
        /// The method.
        method: &'a str,
        /// The params.
        params: Option<&'a str>,
    },
    /// The cancellation of a request that has no answer yet: by its sender, or because the sender
    /// is gone.
    Cancellation {
        /// The number of the request.
        number: u64,
        /// The direction, which is that of the request.
        toward: Toward,
        /// The method of the request.
        method: &'a str,
    },
    /// The result of a request.
    Result {
        /// The number of the request.
        number: u64,
        /// The direction of the answer.
        toward: Toward,
        /// The method of the request.
        method: &'a str,
        /// The result.
        result: &'a str,
    },
    /// The error of a request.
    Error {
        /// The number of the request.
        number: u64,
        /// The direction of the answer.
        toward: Toward,
        /// The method of the request.
        method: &'a str,
        /// The error object.
        error: &'a str,
    },
}

impl Observed<'_> {
    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> &str {
        match self {
            Self::Request { method, .. }
            | Self::Notification { method, .. }
            | Self::Cancellation { method, .. }
            | Self::Result { method, .. }
            | Self::Error { method, .. } => method,
        }
    }

    /// Returns the direction.
    #[must_use]
    pub const fn toward(&self) -> Toward {
        match self {
            Self::Request { toward, .. }
            | Self::Notification { toward, .. }
            | Self::Cancellation { toward, .. }
            | Self::Result { toward, .. }
            | Self::Error { toward, .. } => *toward,
        }
    }
}
