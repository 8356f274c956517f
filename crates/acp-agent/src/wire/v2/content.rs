//! Blocks of content.

use acp_types::v1::{Annotations, ContentBlock};
use serde_core::ser::{Serialize, Serializer};

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
