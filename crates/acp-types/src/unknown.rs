//! Variants of a union that this version of the protocol does not know.

use std::fmt;

use acp_json::{Fields, Map, ReadError, Record, Value};
use serde_core::de::DeserializeOwned;
use serde_core::ser::SerializeMap;

/// A variant with an unknown tag. It keeps the tag and every other member, in order.
#[derive(Clone, PartialEq)]
pub struct UnknownVariant(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    tag: Box<str>,
    members: Map,
}

impl UnknownVariant {
    /// Makes a variant for sending that this crate has no type for.
    #[must_use]
    pub fn new(tag: impl Into<Box<str>>, members: Map) -> Self {
        UnknownVariant(Box::new(Inner { tag: tag.into(), members }))
    }

    /// Returns the tag as it is written on the wire.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.0.tag
    }

    /// Returns the members beside the tag.
    #[must_use]
    pub fn members(&self) -> &Map {
        &self.0.members
    }

    /// Reads the members as a type of the caller.
    ///
    /// # Errors
    /// Fails if the members do not make a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        Value::from(self.0.members.clone()).parse()
    }

    /// Reads the members as a type of the protocol, which an extended union may contain.
    pub(crate) fn read_as<T: Record>(&self) -> Result<T, ReadError> {
        let node = Value::from(self.0.members.clone()).into_node();
        Fields::read_all(node, &acp_json::At::root())
    }

    /// Takes all that is left of an object after its tag was taken.
    #[doc(hidden)]
    pub fn read(tag: &str, fields: &mut Fields<'_, '_>) -> Self {
        Self::new(tag, fields.rest().into_iter().map(|(name, node)| (name, Value::from(node))).collect())
    }

    #[doc(hidden)]
    pub fn write<M: SerializeMap>(&self, name: &'static str, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry(name, self.tag())?;
        self.write_members(map)
    }

    /// Writes the members after the tag, for variants that write some members themselves.
    #[doc(hidden)]
    pub fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.members().iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

impl fmt::Debug for UnknownVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnknownVariant").field("tag", &self.tag()).field("members", self.members()).finish()
    }
}
