//! The round trip of one type, as a function that a table can hold.

use acp_json::{FromNode, Node, Report};
use serde_core::Serialize;

use super::Failure;

/// Reads a value as the type that it was made for, and writes it again.
pub(crate) type RoundTrip = fn(Node<'_>, &mut Report) -> Result<String, Failure>;

/// Reads and writes any generated type.
#[cfg(not(feature = "schemars"))]
pub(crate) trait Type: FromNode + Serialize {}

#[cfg(not(feature = "schemars"))]
impl<T: FromNode + Serialize> Type for T {}

/// Reads and writes any generated type.
#[cfg(feature = "schemars")]
pub(crate) trait Type: FromNode + Serialize + schemars::JsonSchema {}

#[cfg(feature = "schemars")]
impl<T: FromNode + Serialize + schemars::JsonSchema> Type for T {}

pub(crate) fn round_trip<T: Type>(node: Node<'_>, report: &mut Report) -> Result<String, Failure> {
    let value: T = acp_json::read_reporting(node, report).map_err(Failure::Read)?;
    serde_json::to_string(&value).map_err(|error| Failure::Write(error.to_string()))
}
