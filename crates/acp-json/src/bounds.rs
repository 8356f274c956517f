//! Numbers that are read and written within bounds.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use serde_core::ser::{Error as _, Serialize, Serializer};

use crate::path::At;
use crate::report::{Problem, ReadError};

/// Checks that the number at the position `at` is one of the allowed ones.
///
/// # Errors
/// Fails for any other number.
pub fn within<T: PartialOrd + Display>(
    number: T,
    bounds: impl RangeBounds<T>,
    at: &At<'_>,
) -> Result<T, ReadError> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    let bounds = match (bounds.start_bound(), bounds.end_bound()) {
        (Bound::Included(least), Bound::Included(most)) => format!("from {least} to {most}"),
        (Bound::Included(least), _) => format!("at least {least}"),
        (_, Bound::Included(most)) => format!("at most {most}"),
        _ => "within its bounds".to_owned(),
    };
    Err(ReadError::new(at, Problem::OutOfBounds { bounds }))
}

/// Checks a double before it is written as the member or the type of this name.
#[doc(hidden)]
pub const fn finite(number: f64, name: &'static str) -> Finite {
    Finite { number, name }
}

/// Serializes the number. Fails for doubles without a JSON text, which a serializer would write as
/// `null`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Finite {
    number: f64,
    name: &'static str,
}

impl Serialize for Finite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.number.is_finite() {
            return serializer.serialize_f64(self.number);
        }
        Err(S::Error::custom(format_args!("`{}` is {}, and JSON has no such number", self.name, self.number)))
    }
}
