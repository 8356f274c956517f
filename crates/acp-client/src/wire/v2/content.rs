//! Content.

use acp_types::v1::{Annotations, ContentBlock};
use serde_core::ser::{Serialize, SerializeSeq, Serializer};

/// The blocks of a prompt. Version 2 has them as version 1 has, with stricter ranges: a link has no
/// negative size, and a priority is between 0 and 1.
pub(super) struct Blocks<'b>(pub(super) &'b [ContentBlock]);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut blocks = serializer.serialize_seq(Some(self.0.len()))?;
        for block in self.0 {
            match within_ranges(block) {
                None => blocks.serialize_element(block)?,
                Some(block) => blocks.serialize_element(&block)?,
            }
        }
        blocks.end()
    }
}

/// Returns the block without the numbers that version 2 does not allow. `None` if it has none.
fn within_ranges(block: &ContentBlock) -> Option<ContentBlock> {
    let is_negative =
        matches!(block, ContentBlock::ResourceLink(link) if link.size.is_some_and(|size| size < 0));
    let priority = annotations(block).and_then(|annotations| annotations.priority);
    let is_outside = priority.is_some_and(|priority| !(0.0..=1.0).contains(&priority));
    if !is_negative && !is_outside {
        return None;
    }
    let mut block = block.clone();
    if let ContentBlock::ResourceLink(link) = &mut block
        && is_negative
    {
        link.size = None;
    }
    if let Some(annotations) = annotations_mut(&mut block).filter(|_| is_outside) {
        annotations.priority = None;
    }
    Some(block)
}

fn annotations(block: &ContentBlock) -> Option<&Annotations> {
    match block {
        ContentBlock::Text(text) => text.annotations.as_deref(),
        ContentBlock::Image(image) => image.annotations.as_deref(),
        ContentBlock::Audio(audio) => audio.annotations.as_deref(),
        ContentBlock::ResourceLink(link) => link.annotations.as_deref(),
        ContentBlock::Resource(resource) => resource.annotations.as_deref(),
        _ => None,
    }
}

fn annotations_mut(block: &mut ContentBlock) -> Option<&mut Annotations> {
    match block {
        ContentBlock::Text(text) => text.annotations.as_deref_mut(),
        ContentBlock::Image(image) => image.annotations.as_deref_mut(),
        ContentBlock::Audio(audio) => audio.annotations.as_deref_mut(),
        ContentBlock::ResourceLink(link) => link.annotations.as_deref_mut(),
        ContentBlock::Resource(resource) => resource.annotations.as_deref_mut(),
        _ => None,
    }
}
