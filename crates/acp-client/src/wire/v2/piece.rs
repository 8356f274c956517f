//! Pieces of messages, which most updates are.
//!
//! They come one by one while a model writes, so they are read by themselves. A piece shares the
//! ids of its session and its message with the update before.

use std::cell::RefCell;

use acp_json::{At, Node, ReadError};
use acp_types::Meta;
use acp_types::v1::{ContentChunk, MessageId, SessionId};
use acp_types::v2::ContentBlock;

use super::{as_is, blocks};
use crate::Event;

/// A piece of a message, with the params around it.
pub(super) struct Piece {
    pub(super) session_id: SessionId,
    pub(super) event: Event,
    pub(super) meta: Option<Meta>,
}

thread_local! {
    static LAST_SESSION: RefCell<Option<SessionId>> = const { RefCell::new(None) };
    static LAST_MESSAGE: RefCell<Option<MessageId>> = const { RefCell::new(None) };
}

/// Returns the id of a session, shared with the last update on this thread if it is the same.
pub(super) fn session(id: &str) -> SessionId {
    LAST_SESSION.with_borrow_mut(|last| match last {
        Some(last) if last.as_str() == id => last.clone(),
        _ => last.insert(SessionId::from(id)).clone(),
    })
}

/// Returns the id of a message, shared with the last piece on this thread if it is the same.
fn message(id: &str) -> MessageId {
    LAST_MESSAGE.with_borrow_mut(|last| match last {
        Some(last) if last.as_str() == id => last.clone(),
        _ => last.insert(MessageId::from(id)).clone(),
    })
}

/// Takes a piece of a message out of the params of an update. `None` leaves them as they are: the
/// update is of another kind, or a member is malformed or missing.
///
/// # Errors
/// The content of the piece is malformed.
pub(super) fn take(params: &mut Node<'_>) -> Option<Result<Piece, ReadError>> {
    let update = params.get("update")?;
    let event = match update.get("sessionUpdate")?.as_str()? {
        "agent_message_chunk" => Event::Message,
        "agent_thought_chunk" => Event::Thought,
        "user_message_chunk" => Event::UserMessage,
        _ => return None,
    };
    update.get("content")?;
    let message_id = message(update.get("messageId")?.as_str()?);
    let session_id = session(params.get("sessionId")?.as_str()?);
    let mut update = params.take("update")?;
    let content = match content(update.take("content")?) {
        Ok(content) => content,
        Err(error) => return Some(Err(error)),
    };
    let mut chunk = ContentChunk::new(blocks::block(content));
    chunk.message_id = Some(Box::new(message_id));
    chunk.meta = meta(&mut update);
    Some(Ok(Piece { session_id, event: event(chunk), meta: meta(params) }))
}

fn content(node: Node<'_>) -> Result<ContentBlock, ReadError> {
    let root = At::root();
    let update = root.member("update");
    as_is::read_at(node, &update.member("content"))
}

/// Takes the metadata of an object. Malformed metadata is left out.
pub(super) fn meta(object: &mut Node<'_>) -> Option<Meta> {
    object.take("_meta").and_then(|meta| as_is::read(meta).ok())
}
