//! Messages, put together from their pieces.

use acp_types::v1::{ContentBlock, ContentChunk, MessageId};
use acp_types::{Maybe, Meta};

use super::content;
use crate::event::MessageKind;

/// A message of a [`Transcript`](crate::Transcript), put together from its pieces.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The author and sort of the message.
    pub kind: MessageKind,
    /// The agent's id of the message, if it has one.
    pub id: Option<MessageId>,
    /// The blocks. Neighbouring texts are joined if they can be.
    pub content: Vec<ContentBlock>,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

impl Message {
    pub(super) const fn new(kind: MessageKind, id: Option<MessageId>) -> Self {
        Self { kind, id, content: Vec::new(), meta: None }
    }

    /// Returns the text of all text blocks.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(ContentBlock::as_text).collect()
    }

    /// Takes in a piece. Returns the place where the content has grown, and true if `_meta` came
    /// with it.
    pub(super) fn append(&mut self, chunk: ContentChunk) -> (Option<(usize, usize)>, bool) {
        let has_meta = content::join_meta(&mut self.meta, chunk.meta);
        (content::append(&mut self.content, chunk.content), has_meta)
    }

    /// Takes in the message as a whole. `None` keeps the content.
    pub(super) fn replace(&mut self, blocks: Option<Vec<ContentBlock>>, meta: Maybe<Meta>) {
        if let Some(blocks) = blocks {
            self.content.clear();
            for block in blocks {
                content::append(&mut self.content, block);
            }
        }
        content::patch_meta(&mut self.meta, meta);
    }

    /// Returns true while the message is empty.
    pub(super) const fn is_blank(&self) -> bool {
        self.id.is_none() && self.content.is_empty() && self.meta.is_none()
    }
}
