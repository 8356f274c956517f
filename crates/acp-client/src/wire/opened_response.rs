//! The answer of an agent to a request that opens a session.

use acp_json::{At, Fields, FromNode, Map, Node, ReadError, Record, Value};
use acp_types::v1::{
    LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionConfigOption, SessionModeState,
};
use serde_core::ser::SerializeMap;

use crate::wire::moment::Moment;

/// The description of a session by the agent that has opened it.
pub(crate) struct Opened {
    pub(crate) modes: Option<SessionModeState>,
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) extra: Map,
    pub(crate) at: Moment,
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

macro_rules! tells_of_a_session {
    ($($response:ty),*) => {$(
        impl From<OpenedResponse<$response>> for Opened {
            fn from(answer: OpenedResponse<$response>) -> Self {
                let OpenedResponse { value, at, extra } = answer;
                Self { modes: value.modes, config_options: value.config_options, extra, at }
            }
        }
    )*};
}

tells_of_a_session!(NewSessionResponse, LoadSessionResponse, ResumeSessionResponse);
#[cfg(feature = "unstable")]
tells_of_a_session!(acp_types::v1::ForkSessionResponse);
