//! Members whose absence, `null` and value mean three things.

use acp_json::FromNode;
use serde_core::ser::{Serialize, SerializeMap};

/// A member of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Maybe<T> {
    /// The member is absent: the field stays.
    #[default]
    Absent,
    /// The member is `null`: the field is cleared.
    Null,
    /// The member has a value: the field is set.
    Value(T),
}

impl<T> Maybe<T> {
    /// Returns the value, if there is one.
    #[must_use]
    pub const fn value(&self) -> Option<&T> {
        match self {
            Maybe::Value(value) => Some(value),
            Maybe::Absent | Maybe::Null => None,
        }
    }

    /// Returns true if the member is absent.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Maybe::Absent)
    }

    /// Applies the patch to `field`.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Maybe::Absent => {}
            Maybe::Null => *field = None,
            Maybe::Value(value) => *field = Some(value),
        }
    }

    #[doc(hidden)]
    pub fn from_patch(patch: Option<Option<T>>) -> Self
    where
        T: FromNode,
    {
        match patch {
            None => Maybe::Absent,
            Some(None) => Maybe::Null,
            Some(Some(value)) => Maybe::Value(value),
        }
    }

    #[doc(hidden)]
    pub fn write<M: SerializeMap>(&self, name: &'static str, map: &mut M) -> Result<(), M::Error>
    where
        T: Serialize,
    {
        match self {
            Maybe::Absent => Ok(()),
            Maybe::Null => map.serialize_entry(name, &()),
            Maybe::Value(value) => map.serialize_entry(name, value),
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Maybe::Value(value)
    }
}

/// `None` clears the field.
impl<T> From<Option<T>> for Maybe<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Maybe::Null, Maybe::Value)
    }
}

impl From<&str> for Maybe<String> {
    fn from(text: &str) -> Self {
        Maybe::Value(text.to_owned())
    }
}
