//! Principals: who may use a server, and why somebody may not.

use std::sync::Arc;

/// The name of somebody who may use a server. A connection belongs to the principal that opened it:
/// for all others it does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// Creates a principal by its name, which logs may show.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Returns the principal of a server without authentication. Its name is empty.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(Arc::from(""))
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The reason why somebody is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nobody knows who it is: status 401.
    Unauthorized,
    /// It is known who it is, and that is not enough: status 403.
    Forbidden,
    /// It could not be found out who it is, such as without a database: status 503.
    Unavailable,
}
