//! The answer of an agent to a request that opens a session.

use acp_json::{At, Fields, FromNode, Map, Node, ReadError, Record, Value};
use serde_core::ser::SerializeMap;

use crate::agent::session::config::Moment;

/// A result, when it was read, and what it has beside the members that the protocol names.
#[derive(Debug)]
pub(crate) struct Answer<T> {
    pub(crate) value: T,
    pub(crate) at: Moment,
    pub(crate) extra: Map,
}

impl<T: Record> Record for Answer<T> {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        let value = T::read(fields)?;
        let extra = fields.rest().into_iter().map(|(name, node)| (name, Value::from(node))).collect();
        Ok(Self { value, at: Moment::now(), extra })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.value.write(map)
    }
}

impl<T: Record + FromNode> FromNode for Answer<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        match node {
            Node::Map(_) => Fields::read_all(node, at),
            // A bare null is how some agents say that there is nothing to say; the type knows whether it may.
            node => Ok(Self { value: T::from_node(node, at)?, at: Moment::now(), extra: Map::default() }),
        }
    }
}
