//! The error that ends a program.

use std::error::Error;
use std::fmt;

use crate::clean;

/// Any error, shown in words. A `main` that returns an error prints its `Debug` form, which is
/// meant for programmers.
///
/// ```
/// let failure = examples::Failure::from("no \u{1b}[2Jagent");
/// assert_eq!(format!("{failure:?}"), "no \u{fffd}[2Jagent");
/// ```
pub struct Failure(Box<dyn Error + Send + Sync>);

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text may have come from the agent.
        f.write_str(&clean(&self.0.to_string()))
    }
}
