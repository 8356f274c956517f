//! Reading owned values from a tree.

use std::cell::RefCell;

use serde_core::de::{Deserialize, Deserializer, Error as _};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use crate::fields::Record;
use crate::node::Node;
use crate::node::exact;
use crate::path::At;
use crate::report::{Problem, ReadError, Report};

/// A type that can be read from a tree.
///
/// The result owns its parts: text is copied out of the line here, and nowhere else.
pub trait FromNode: Sized {
    /// Reads `node` at the position `at`.
    ///
    /// # Errors
    /// Names the position of the first part that cannot be read.
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError>;
}

/// Reads a whole value.
///
/// # Errors
/// Names the position of the first part that cannot be read.
pub fn read<T: FromNode>(node: Node<'_>) -> Result<T, ReadError> {
    T::from_node(node, &At::root())
}

/// Reads a whole value, and notes each part that was defaulted, skipped or unknown.
///
/// # Errors
/// Names the position of the first part that cannot be read. The notes up to that part are kept.
pub fn read_reporting<T: FromNode>(node: Node<'_>, report: &mut Report) -> Result<T, ReadError> {
    let cell = RefCell::new(std::mem::take(report));
    let value = T::from_node(node, &At::reporting(&cell));
    *report = cell.into_inner();
    value
}

/// Parses a JSON text and reads it.
///
/// # Errors
/// The text is not JSON, or does not hold a `T`.
pub fn from_str<T: FromNode>(text: &str) -> Result<T, ReadError> {
    read(parse(text)?)
}

/// Parses JSON from bytes and reads it.
///
/// # Errors
/// The bytes are not JSON in UTF-8, or do not hold a `T`.
pub fn from_slice<T: FromNode>(bytes: &[u8]) -> Result<T, ReadError> {
    read(parse_slice(bytes)?)
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for map_err")]
pub(crate) fn syntax(error: serde_json::Error) -> ReadError {
    ReadError::new(&At::root(), Problem::Syntax(error.to_string()))
}

/// Implements serde's `Deserialize` on top of [`FromNode`]. The tree is built once, by any
/// deserializer.
///
/// # Errors
/// Fails if the deserializer or the reader fails.
pub fn deserialize<'de, T: FromNode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let node = Node::deserialize(deserializer)?;
    read(node).map_err(D::Error::custom)
}

/// Implements serde's `Serialize` on top of [`Record`].
///
/// # Errors
/// Fails if the serializer fails.
pub fn serialize<T: Record, S: Serializer>(record: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    record.write(&mut map)?;
    map.end()
}

/// Parses a JSON text into a tree that borrows from it.
///
/// # Errors
/// The text is not JSON.
pub fn parse(text: &str) -> Result<Node<'_>, ReadError> {
    exact::from_str(text).map_err(syntax)
}

/// Parses JSON from bytes into a tree that borrows from them.
///
/// # Errors
/// The bytes are not JSON in UTF-8.
pub fn parse_slice(bytes: &[u8]) -> Result<Node<'_>, ReadError> {
    exact::from_slice(bytes).map_err(syntax)
}

/// Returns the JSON text of a value that consists of JSON only: keys are strings, numbers are
/// finite, and each `Serialize` succeeds.
///
/// A value that breaks that rule is written as `null`.
#[must_use]
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
