//! The answer to a prompt.

use acp_json::{At, FromNode, Node, ReadError};
use acp_types::v1::MessageId;
use acp_types::v2::PromptResponse;

/// The answer to a prompt that the agent has accepted: the id of its message.
#[derive(Debug)]
pub(in crate::wire) struct Accepted {
    pub(in crate::wire) message: MessageId,
}

impl FromNode for Accepted {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        PromptResponse::from_node(node, at).map(|response| Self { message: response.message_id })
    }
}
