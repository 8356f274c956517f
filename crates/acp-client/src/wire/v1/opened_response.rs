//! The answer of an agent to a request that opens a session.

use acp_json::{At, Fields, FromNode, Map, Node, ReadError, Record, Value};
use acp_types::v1::{LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionId};
use serde_core::ser::SerializeMap;

use crate::wire::moment::Moment;
use crate::wire::opened::Opened;

/// A result that describes a session.
pub(crate) trait OpensSession: Record + FromNode + Send + 'static {
    /// Returns the description. `extra` has the members that the protocol does not name.
    fn describe(self, at: Moment, extra: Map) -> Opened;
}

/// A result that names a new session.
pub(crate) trait NamesSession: OpensSession {
    fn session_id(&self) -> &SessionId;
}

/// A result with its position in the order of the wire, and with the members that the protocol does
/// not name.
#[derive(Debug)]
pub(crate) struct OpenedResponse<T> {
    pub(crate) value: T,
    pub(crate) at: Moment,
    pub(crate) extra: Map,
}

impl<T: Record> Record for OpenedResponse<T> {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        let value = T::read(fields)?;
        let extra = fields.rest().into_iter().map(|(name, node)| (name, Value::from(node))).collect();
        Ok(Self { value, at: Moment::now(), extra })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.value.write(map)
    }
}

impl<T: Record + FromNode> FromNode for OpenedResponse<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        match node {
            Node::Map(_) => Fields::read_all(node, at),
            // Some agents send a bare null for an empty result. The type decides whether that is
            // valid.
            node => Ok(Self { value: T::from_node(node, at)?, at: Moment::now(), extra: Map::default() }),
        }
    }
}

impl<T: OpensSession> OpenedResponse<T> {
    pub(crate) fn opened(self) -> Opened {
        self.value.describe(self.at, self.extra)
    }
}

macro_rules! opens_session {
    ($($response:ty),*) => {$(
        impl OpensSession for $response {
            fn describe(self, at: Moment, extra: Map) -> Opened {
                Opened { modes: self.modes, config_options: self.config_options, commands: None, extra, at }
            }
        }
    )*};
}

macro_rules! names_session {
    ($($response:ty),*) => {$(
        impl NamesSession for $response {
            fn session_id(&self) -> &SessionId {
                &self.session_id
            }
        }
    )*};
}

opens_session!(NewSessionResponse, LoadSessionResponse, ResumeSessionResponse);
names_session!(NewSessionResponse);
#[cfg(feature = "unstable")]
opens_session!(acp_types::v1::ForkSessionResponse);
#[cfg(feature = "unstable")]
names_session!(acp_types::v1::ForkSessionResponse);
