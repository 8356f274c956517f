//! Owned JSON for the members that may hold anything.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_core::ser::{Serialize, Serializer};

use crate::map::Map;
use crate::node::Node;
use crate::node::exact;
use crate::path::At;
use crate::read::{FromNode, syntax};
use crate::report::ReadError;

/// Any JSON value, owned. It keeps the order of members and the kind of numbers.
///
/// ```
/// use acp_json::Value;
///
/// let value = Value::new(&[("b", 1), ("a", 2)])?;
/// assert_eq!(value.to_string(), r#"[["b",1],["a",2]]"#);
/// assert_eq!(value.parse::<Vec<(String, u8)>>()?[1].1, 2);
/// # Ok::<(), acp_json::ReadError>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Value(Node<'static>);

impl Value {
    /// `null`
    pub const NULL: Value = Value(Node::Null);

    /// Builds the JSON of anything that serializes.
    ///
    /// # Errors
    /// Fails if the value's own `Serialize` fails, or if a map has keys that are not strings.
    pub fn new<T: Serialize + ?Sized>(value: &T) -> Result<Self, ReadError> {
        // Through text: it keeps order and number kinds exactly as they would be on the wire.
        let text = serde_json::to_string(value).map_err(syntax)?;
        Ok(Value(exact::from_str(&text).map_err(syntax)?.into_owned()))
    }

    /// Reads the value as a type of the caller.
    ///
    /// # Errors
    /// Fails if the value does not hold a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.0.clone().parse()
    }

    /// Returns the member with this name, if the value is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'static>> {
        self.0.get(name)
    }

    /// Returns the text, if the value is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_str()
    }

    /// Returns the value, if it is a boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        self.0.as_bool()
    }

    /// Returns the number, if it is an integer that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    /// Returns the number, if it is an integer that is not negative.
    #[must_use]
    pub const fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    /// Returns true if the value is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the tree behind the value.
    #[must_use]
    pub const fn as_node(&self) -> &Node<'static> {
        &self.0
    }

    /// Returns the tree behind the value.
    #[must_use]
    pub fn into_node(self) -> Node<'static> {
        self.0
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).map_err(|_| fmt::Error)?)
    }
}

impl std::str::FromStr for Value {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        crate::from_str(text)
    }
}

impl FromNode for Value {
    fn from_node(node: Node<'_>, _: &At<'_>) -> Result<Self, ReadError> {
        Ok(Value(node.into_owned()))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Node::deserialize(deserializer).map(|node| Value(node.into_owned()))
    }
}

impl From<Node<'_>> for Value {
    fn from(node: Node<'_>) -> Self {
        Value(node.into_owned())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value(Node::Bool(value))
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value(Node::U64(number))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value(Node::U64(number.into()))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value(u64::try_from(number).map_or(Node::I64(number), Node::U64))
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        i64::from(number).into()
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value(Node::F64(number))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value(Node::Str(Cow::Owned(text)))
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value(Node::Seq(items.into_iter().map(Value::into_node).collect()))
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Value(Node::Map(map.into_iter().map(|(key, value)| (Cow::Owned(key.into()), value.0)).collect()))
    }
}
