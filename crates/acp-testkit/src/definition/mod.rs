//! Definitions of the schema by name.

mod line;
mod roundtrip;
#[cfg(feature = "schemars")]
pub(crate) mod type_schemas;

use std::fmt;

use acp_json::{Node, ReadError, Report};

pub use self::line::answer;
use self::roundtrip::{RoundTrip, Type, round_trip as round_trip_as};
use crate::generated::definitions;

/// A definition that a type was generated for.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    name: &'static str,
    round_trip: RoundTrip,
    #[cfg(feature = "schemars")]
    json_schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

impl Definition {
    /// Makes the definition of this name, whose type is `T`.
    pub(crate) const fn of<T: Type>(name: &'static str) -> Self {
        Definition {
            name,
            round_trip: round_trip_as::<T>,
            #[cfg(feature = "schemars")]
            json_schema: |generator| generator.subschema_for::<T>(),
        }
    }

    /// Finds the definition of this name in a version of the protocol, written like `v1`.
    ///
    /// # Errors
    /// Fails if the version or the definition is unknown.
    pub fn find(version: &str, name: &str) -> Result<Self, Failure> {
        let found = table(version)?.iter().find(|definition| definition.name == name);
        found.copied().ok_or_else(|| Failure::UnknownDefinition(name.to_owned()))
    }

    /// Returns every definition of a version, in the order of the schema.
    ///
    /// # Errors
    /// Fails if the version is unknown.
    pub fn all(version: &str) -> Result<impl Iterator<Item = Self> + use<>, Failure> {
        Ok(table(version)?.iter().copied())
    }

    /// Returns its name in the schema.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Reads a value as this definition and writes it again. `report` gets notes of the parts that
    /// were not kept.
    ///
    /// # Errors
    /// Fails if the value cannot be read or cannot be written again.
    pub fn round_trip(&self, node: Node<'_>, report: &mut Report) -> Result<String, Failure> {
        (self.round_trip)(node, report)
    }

    /// Returns the JSON Schema that the type gives of itself, a reference into the generator's
    /// collection.
    #[cfg(feature = "schemars")]
    #[must_use]
    pub fn json_schema(&self, generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        (self.json_schema)(generator)
    }
}

/// Reads a value as a definition and writes it again.
///
/// ```
/// let node = acp_json::parse(r#"{"text":"hi","type":"text","annotations":null}"#)?;
/// let again = acp_testkit::round_trip("v1", "ContentBlock", node).unwrap();
/// assert_eq!(again, r#"{"type":"text","text":"hi"}"#);
/// # Ok::<(), acp_json::ReadError>(())
/// ```
///
/// # Errors
/// Fails if the version or the definition is unknown, or if the value does not fit.
pub fn round_trip(version: &str, definition: &str, node: Node<'_>) -> Result<String, Failure> {
    Definition::find(version, definition)?.round_trip(node, &mut Report::default())
}

fn table(version: &str) -> Result<&'static [Definition], Failure> {
    match version {
        "v1" => Ok(definitions::V1),
        #[cfg(feature = "v2")]
        "v2" => Ok(definitions::V2),
        _ => Err(Failure::UnknownVersion(version.to_owned())),
    }
}

/// The reason why there is nothing to write again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// No types were generated for this version.
    UnknownVersion(String),
    /// The version has no type of this name: the name is misspelt, or the generator skips the
    /// definition.
    UnknownDefinition(String),
    /// The value does not fit the definition.
    Read(ReadError),
    /// The value cannot be written again: a bug in a type's `Serialize`.
    Write(String),
    /// A type has no valid JSON Schema: a bug in its `JsonSchema`.
    Schema(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::UnknownVersion(version) => {
                let v2 = if cfg!(feature = "v2") { " and \"v2\"" } else { "; \"v2\" needs the feature `v2`" };
                write!(f, "there are no types for version \"{version}\", but for \"v1\"{v2}")
            }
            Failure::UnknownDefinition(name) => {
                let missing = if cfg!(feature = "unstable") { "" } else { UNSTABLE_MISSING };
                write!(
                    f,
                    "there is no type for a definition \"{name}\"; names are those of the schema{missing}"
                )
            }
            Failure::Read(error) => error.fmt(f),
            Failure::Schema(reason) => write!(f, "no JSON Schema of the types: {reason}"),
            Failure::Write(reason) => write!(f, "what was read cannot be written: {reason}"),
        }
    }
}

const UNSTABLE_MISSING: &str = ", and what only the unstable one has needs the feature `unstable`";

impl std::error::Error for Failure {}
