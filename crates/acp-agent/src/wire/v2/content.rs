//! Blocks of content.

use acp_rpc::{Encode as _, EncodeError};
use acp_types::v1::{Annotations, ContentBlock, ContentChunk, SessionId, SessionUpdate};
use serde_core::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use super::update::Update;
use crate::wire::v1;

/// A block of content. A size below zero and a priority that is not between 0 and 1 are left out,
/// because this version does not have them.
pub(in crate::wire) struct Block<'a>(pub(in crate::wire) &'a ContentBlock);

/// A list of blocks.
pub(in crate::wire) struct Blocks<'a>(pub(in crate::wire) &'a [ContentBlock]);

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if fits(self.0) {
            return self.0.serialize(serializer);
        }
        let mut block = self.0.clone();
        if let ContentBlock::ResourceLink(link) = &mut block {
            link.size = link.size.filter(|size| *size >= 0);
        }
        if let Some(annotations) = annotations_mut(&mut block) {
            annotations.priority = annotations.priority.filter(|priority| is_priority(*priority));
        }
        block.serialize(serializer)
    }
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Block))
    }
}

/// Writes the params of a piece of the user's message, by the text of its block.
pub(in crate::wire) fn write_piece(
    session: &SessionId,
    block: &RawValue,
    message_id: &str,
    buffer: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut piece =
        ContentChunk::new(acp_json::from_str::<ContentBlock>(block.get()).map_err(EncodeError::custom)?);
    piece.message_id = Some(Box::new(message_id.into()));
    let update = SessionUpdate::UserMessageChunk(piece);
    let update = Update { update: &update, settings: None, known_items: None };
    v1::update::write(session, buffer, |buffer| update.encode(buffer)).map(drop)
}

/// Returns whether the block looks as in version 1.
fn fits(block: &ContentBlock) -> bool {
    let has_size = match block {
        ContentBlock::ResourceLink(link) => link.size.is_none_or(|size| size >= 0),
        _ => true,
    };
    has_size && annotations(block).and_then(|annotations| annotations.priority).is_none_or(is_priority)
}

fn is_priority(priority: f64) -> bool {
    (0.0..=1.0).contains(&priority)
}

fn annotations(block: &ContentBlock) -> Option<&Annotations> {
    match block {
        ContentBlock::Text(content) => content.annotations.as_deref(),
        ContentBlock::Image(content) => content.annotations.as_deref(),
        ContentBlock::Audio(content) => content.annotations.as_deref(),
        ContentBlock::ResourceLink(content) => content.annotations.as_deref(),
        ContentBlock::Resource(content) => content.annotations.as_deref(),
        _ => None,
    }
}

fn annotations_mut(block: &mut ContentBlock) -> Option<&mut Annotations> {
    match block {
        ContentBlock::Text(content) => content.annotations.as_deref_mut(),
        ContentBlock::Image(content) => content.annotations.as_deref_mut(),
        ContentBlock::Audio(content) => content.annotations.as_deref_mut(),
        ContentBlock::ResourceLink(content) => content.annotations.as_deref_mut(),
        ContentBlock::Resource(content) => content.annotations.as_deref_mut(),
        _ => None,
    }
}
