//! The form that a message of the vocabulary has in version 2.

use acp_json::{At, FromNode, Node, ReadError};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

/// The method that a message of the vocabulary has in version 2.
pub(crate) trait MethodOfV2 {
    /// The name of the method.
    const METHOD: &'static str;
}

/// A message to the agent, as version 2 has it.
pub(crate) trait MessageOfV2: MethodOfV2 {
    /// Writes the params.
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error>;
}

/// A request to the agent whose answer version 2 has.
pub(crate) trait AnswerOfV2: MessageOfV2 {
    /// The answer of the vocabulary.
    type Answer: FromNode + Send + 'static;

    /// Reads the result.
    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError>;
}

/// The params of a message.
pub(in crate::wire) struct Params<'m, M>(pub(in crate::wire) &'m M);

impl<M: MessageOfV2> Serialize for Params<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut params = serializer.serialize_map(None)?;
        self.0.write(&mut params)?;
        params.end()
    }
}

/// The result of a request.
pub(crate) struct Answered<Q: AnswerOfV2>(pub(in crate::wire) Q::Answer);

impl<Q: AnswerOfV2> FromNode for Answered<Q> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        Q::read(node, at).map(Self)
    }
}
