//! Content that grows piece by piece.

use acp_json::Map;
use acp_types::v1::{ContentBlock, TextContent};
use acp_types::{Maybe, Meta};

/// Adds a piece at the end. Returns the block that has grown or is new, and the length of the text
/// it had before. `None` for a piece without content.
pub(super) fn append(content: &mut Vec<ContentBlock>, piece: ContentBlock) -> Option<(usize, usize)> {
    if let ContentBlock::Text(text) = &piece {
        if *text == TextContent::new("") {
            return None;
        }
        let block = content.len().wrapping_sub(1);
        if let Some(ContentBlock::Text(last)) = content.last_mut()
            && is_same_but_for_text(last, text)
        {
            let offset = last.text.len();
            last.text.push_str(&text.text);
            return Some((block, offset));
        }
    }
    content.push(piece);
    Some((content.len() - 1, 0))
}

/// Returns true if `part` can grow into `whole` by appending.
pub(super) fn is_start_of(part: &[ContentBlock], whole: &[ContentBlock]) -> bool {
    let Some((last, before)) = part.split_last() else { return true };
    let Some((same, rest)) = whole.split_at_checked(before.len()) else { return false };
    before == same
        && match (last, rest.first()) {
            (ContentBlock::Text(part), Some(ContentBlock::Text(whole))) => {
                is_same_but_for_text(part, whole) && whole.text.starts_with(&part.text)
            }
            (part, whole) => Some(part) == whole,
        }
}

/// Joins data of extensions by name. New values replace old ones, and `null` removes one. Returns
/// true if there were any.
pub(super) fn join_meta(meta: &mut Option<Meta>, more: Option<Meta>) -> bool {
    let Some(more) = more else { return false };
    let mut joined = meta.take().map_or_else(Map::default, |meta| meta.as_map().clone());
    for (name, value) in more.as_map().iter() {
        if value.as_node().is_null() {
            joined.remove(name);
        } else {
            joined.insert(name, value.clone());
        }
    }
    *meta = Some(joined.into());
    true
}

/// Applies a patch to data of extensions.
pub(super) fn patch_meta(meta: &mut Option<Meta>, patch: Maybe<Meta>) {
    match patch {
        Maybe::Absent => {}
        Maybe::Null => *meta = None,
        Maybe::Value(more) => drop(join_meta(meta, Some(more))),
    }
}

fn is_same_but_for_text(one: &TextContent, other: &TextContent) -> bool {
    one.annotations == other.annotations && one.meta == other.meta
}
