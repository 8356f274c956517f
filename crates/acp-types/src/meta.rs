//! `_meta`: the place for data of extensions.

use std::fmt;

use acp_json::{At, FromNode, Map, Node, ReadError, Value};
use serde_core::de::DeserializeOwned;
use serde_core::ser::{Serialize, Serializer};

/// Data of extensions, by name, in order. It is as large as one pointer, because most values have
/// none.
///
/// The names `traceparent`, `tracestate` and `baggage` are [reserved for W3C trace
/// context](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-ext-04).
#[derive(Clone, Default, PartialEq)]
pub struct Meta(Box<Map>);

impl Meta {
    /// Makes an empty `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the JSON under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Reads the JSON under a name as a `T`.
    ///
    /// # Errors
    /// Fails if the name is there but does not hold a `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ReadError> {
        self.get(name).map(Value::parse).transpose()
    }

    /// Puts JSON under a name, and replaces an earlier value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name, value.into());
        self
    }

    /// Puts anything that serializes under a name.
    ///
    /// # Errors
    /// Fails if `value` cannot be written as JSON.
    pub fn set<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), ReadError> {
        self.0.insert(name, Value::new(value)?);
        Ok(())
    }

    /// Returns the members.
    #[must_use]
    pub fn as_map(&self) -> &Map {
        &self.0
    }
}

impl fmt::Debug for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Map> for Meta {
    fn from(map: Map) -> Self {
        Meta(Box::new(map))
    }
}

impl FromNode for Meta {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        Map::from_node(node, at).map(Meta::from)
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
