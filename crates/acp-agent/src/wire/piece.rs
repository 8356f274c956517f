//! Pieces of messages, which most updates are.
//!
//! They leave one by one while a model writes, so a piece of plain text is written by itself: its
//! texts are copied, and nothing walks through its members. The text is that of the types.

use acp_rpc::{EncodeError, encode_str};
use acp_types::v1::{ContentBlock, SessionUpdate};

/// A piece of plain text: all of an update without metadata and annotations.
pub(super) struct Piece<'a> {
    tag: &'static str,
    message_id: Option<&'a str>,
    text: &'a str,
}

impl<'a> Piece<'a> {
    /// Returns the piece that the update is, if it is one.
    pub(super) fn of(update: &'a SessionUpdate) -> Option<Self> {
        let (tag, chunk) = match update {
            SessionUpdate::UserMessageChunk(chunk) => ("user_message_chunk", chunk),
            SessionUpdate::AgentMessageChunk(chunk) => ("agent_message_chunk", chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => ("agent_thought_chunk", chunk),
            _ => return None,
        };
        let ContentBlock::Text(text) = &chunk.content else { return None };
        let is_plain = chunk.meta.is_none() && text.meta.is_none() && text.annotations.is_none();
        is_plain.then_some(Piece {
            tag,
            message_id: chunk.message_id.as_deref().map(|id| id.as_str()),
            text: &text.text,
        })
    }

    /// Writes the update as version 1 has it.
    pub(super) fn write_v1(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.write_tag(buffer);
        self.write_content(buffer)?;
        if let Some(id) = self.message_id {
            write_id(id, buffer)?;
        }
        buffer.push(b'}');
        Ok(())
    }

    /// Writes the update as version 2 has it. Returns false if it has no id, which it must have
    /// there.
    #[cfg(feature = "v2")]
    pub(super) fn write_v2(&self, buffer: &mut Vec<u8>) -> Result<bool, EncodeError> {
        let Some(id) = self.message_id else { return Ok(false) };
        self.write_tag(buffer);
        write_id(id, buffer)?;
        self.write_content(buffer)?;
        buffer.push(b'}');
        Ok(true)
    }

    fn write_tag(&self, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(br#"{"sessionUpdate":""#);
        buffer.extend_from_slice(self.tag.as_bytes());
        buffer.push(b'"');
    }

    fn write_content(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(br#","content":{"type":"text","text":"#);
        encode_str(self.text, buffer)?;
        buffer.push(b'}');
        Ok(())
    }
}

fn write_id(id: &str, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
    buffer.extend_from_slice(br#","messageId":"#);
    encode_str(id, buffer)
}

#[cfg(test)]
mod tests {
    use acp_rpc::Encode as _;
    use acp_types::Meta;
    use acp_types::v1::{Annotations, ContentChunk, TextContent};

    use super::*;

    const TEXTS: [&str; 6] =
        ["", "plain", "with \"quotes\" and \\", "\u{0}\n\t\u{1f} \u{7f}", "ü → 𝄞", "{\"a\":[]}"];

    fn updates(chunk: &ContentChunk) -> [SessionUpdate; 3] {
        [
            SessionUpdate::UserMessageChunk(chunk.clone()),
            SessionUpdate::AgentMessageChunk(chunk.clone()),
            SessionUpdate::AgentThoughtChunk(chunk.clone()),
        ]
    }

    #[test]
    fn a_piece_has_the_text_of_the_types() {
        for text in TEXTS {
            for id in [None, Some("m"), Some("\"\n")] {
                let mut chunk = ContentChunk::text(text);
                chunk.message_id = id.map(|id| Box::new(id.into()));
                for update in updates(&chunk) {
                    let (mut written, mut expected) = (Vec::new(), Vec::new());
                    Piece::of(&update).unwrap().write_v1(&mut written).unwrap();
                    update.encode(&mut expected).unwrap();
                    assert_eq!(String::from_utf8(written), String::from_utf8(expected));
                }
            }
        }
    }

    #[cfg(feature = "v2")]
    #[test]
    fn a_piece_of_version_2_has_the_text_of_its_writer() {
        use crate::wire::v2::update::Update;

        for text in TEXTS {
            let mut chunk = ContentChunk::text(text);
            chunk.message_id = Some(Box::new("m\\".into()));
            for update in updates(&chunk) {
                let (mut written, mut expected) = (Vec::new(), Vec::new());
                assert!(Piece::of(&update).unwrap().write_v2(&mut written).unwrap());
                Update { update: &update, settings: None, known_items: None }.encode(&mut expected).unwrap();
                assert_eq!(String::from_utf8(written), String::from_utf8(expected));
            }
        }
        let without_id = SessionUpdate::AgentMessageChunk(ContentChunk::text("a"));
        let mut written = Vec::new();
        assert!(!Piece::of(&without_id).unwrap().write_v2(&mut written).unwrap());
        assert!(written.is_empty());
    }

    #[test]
    fn more_than_plain_text_is_not_a_piece() {
        let meta = || Some(Meta::new().with("acme.dev/a", 1));
        let mut of_chunk = ContentChunk::text("a");
        of_chunk.meta = meta();
        let mut text = TextContent::new("a");
        text.meta = meta();
        let mut annotated = TextContent::new("a");
        annotated.annotations = Some(Box::new(Annotations::new()));
        for chunk in [of_chunk, ContentChunk::new(text), ContentChunk::new(annotated)] {
            assert!(updates(&chunk).iter().all(|update| Piece::of(update).is_none()));
        }
    }
}
