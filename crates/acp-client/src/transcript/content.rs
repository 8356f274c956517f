//! Content that grows piece by piece.

use acp_types::Meta;
use acp_types::v1::{ContentBlock, TextContent};

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

/// Joins data of extensions by name. New values replace old ones. Returns true if there were any.
pub(super) fn join_meta(meta: &mut Option<Meta>, more: Option<Meta>) -> bool {
    let Some(more) = more else { return false };
    let joined = meta.take().unwrap_or_default();
    let join = |joined: Meta, (name, value): (&str, &acp_json::Value)| joined.with(name, value.clone());
    *meta = Some(more.as_map().iter().fold(joined, join));
    true
}

fn is_same_but_for_text(one: &TextContent, other: &TextContent) -> bool {
    one.annotations == other.annotations && one.meta == other.meta
}
