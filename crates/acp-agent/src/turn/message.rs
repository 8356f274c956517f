//! Messages that are sent piece by piece.

use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::ext::unique_id;
use acp_types::v1::{ContentBlock, ContentChunk, MessageId, SessionUpdate};
use futures_core::Stream;

use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::said::Said;

/// One message of a turn, sent in pieces that have its id. The client joins them.
///
/// ```
/// # use acp_agent::{Result, Turn};
/// # async fn count(turn: Turn) -> Result<()> {
/// let message = turn.message();
/// message.say("One, ").await?;
/// message.say("two.").await
/// # }
/// ```
#[derive(Clone)]
pub struct Message {
    turn: Turn,
    id: MessageId,
    of: fn(ContentChunk) -> SessionUpdate,
    /// The text so far, which clones share.
    said: Arc<Mutex<Said>>,
}

impl Turn {
    /// Starts a message of the answer, with an id of its own. Nothing is sent yet.
    #[must_use]
    pub fn message(&self) -> Message {
        self.message_of(SessionUpdate::AgentMessageChunk)
    }

    /// Starts a message of reasoning, which the client shows apart from the answer.
    #[must_use]
    pub fn thought_message(&self) -> Message {
        self.message_of(SessionUpdate::AgentThoughtChunk)
    }

    /// Starts a message in the user's name, for a part of the conversation that the client has not
    /// sent.
    #[must_use]
    pub fn user_message(&self) -> Message {
        self.message_of(SessionUpdate::UserMessageChunk)
    }

    /// Sends a text while it comes in, as one message, and returns all of it.
    ///
    /// The items are text, or `Result`s of text as model clients give them. The next item is taken
    /// when the client has room for it. Empty items are left out. A turn that is cancelled drops
    /// the stream.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn};
    /// # use futures_util::stream;
    /// # async fn answer(turn: Turn) -> Result<()> {
    /// let tokens = stream::iter(["Hel", "lo"].map(Ok::<_, std::io::Error>));
    /// let said = turn.stream(tokens).await?;
    /// assert_eq!(said, "Hello");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The first error of the stream; the errors of [`update`](Self::update).
    pub async fn stream<S: Stream<Item: IntoText>>(&self, texts: S) -> Result<String> {
        self.message().stream(texts).await
    }

    /// Sends reasoning while it comes in, as [`stream`](Self::stream) sends text.
    ///
    /// # Errors
    /// The errors of [`stream`](Self::stream).
    pub async fn stream_thought<S: Stream<Item: IntoText>>(&self, texts: S) -> Result<String> {
        self.thought_message().stream(texts).await
    }

    fn message_of(&self, of: fn(ContentChunk) -> SessionUpdate) -> Message {
        Message { turn: self.clone(), id: unique_id("msg").into(), of, said: Arc::default() }
    }
}

impl Message {
    /// Sets the id of the message, in place of a fresh one. No other message of the session may
    /// have it.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<MessageId>) -> Self {
        self.id = id.into();
        self
    }

    /// Returns the message's id.
    #[must_use]
    pub const fn id(&self) -> &MessageId {
        &self.id
    }

    /// Sends a piece of text.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn say(&self, text: impl Into<String>) -> Result<()> {
        self.send(ContentBlock::text(text)).await
    }

    /// Sends a piece of any kind.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn send(&self, content: impl Into<ContentBlock>) -> Result<()> {
        let content = content.into();
        self.said().add(&content);
        self.turn.update((self.of)(ContentChunk::new(content).message_id(&self.id))).await
    }

    /// Sends content in place of everything that this message has said. Pieces that are sent later
    /// are added to it.
    ///
    /// Version 1 of the protocol cannot replace a message. There the content is a message of its
    /// own, and this message goes on as that one. A text that is the same as before is not sent
    /// again.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn replace<B: Into<ContentBlock>>(
        &mut self,
        content: impl IntoIterator<Item = B>,
    ) -> Result<()> {
        let content: Vec<ContentBlock> = content.into_iter().map(Into::into).collect();
        let said = Said::of(&content);
        let piece = (self.of)(ContentChunk::text(""));
        if let Some(update) = self.turn.client().wire().whole_message(&piece, &self.id, &content) {
            *self.said() = said;
            return self.turn.update(update).await;
        }
        let before = self.said().clone();
        if before.is_same(&said) {
            return self.turn.check_open();
        }
        if !before.is_empty() {
            self.id = unique_id("msg").into();
            self.said = Arc::default();
        }
        for block in content {
            self.send(block).await?;
        }
        Ok(())
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a text while it comes in, and returns all of it: see [`Turn::stream`].
    ///
    /// # Errors
    /// The first error of the stream; the errors of [`Turn::update`].
    pub async fn stream<S: Stream<Item: IntoText>>(&self, texts: S) -> Result<String> {
        let mut texts = pin!(texts);
        let mut whole = String::new();
        loop {
            let next = poll_fn(|cx| texts.as_mut().poll_next(cx));
            let next = self.turn.heeding(async { next.await.map(IntoText::into_text).transpose() }).await?;
            let Some(text) = next else { return Ok(whole) };
            if !text.is_empty() {
                whole.push_str(&text);
                self.say(text).await?;
            }
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("id", &self.id).finish_non_exhaustive()
    }
}

/// An item of a stream of text: text, or a `Result` of it.
#[diagnostic::on_unimplemented(
    message = "a stream of `{Self}` is not a stream of text",
    label = "its items are not text",
    note = "the items are `String`, `&str`, or a `Result` of a value that is `Into<String>`"
)]
pub trait IntoText {
    /// Returns the text.
    ///
    /// # Errors
    /// The stream has failed.
    fn into_text(self) -> Result<String>;
}

impl IntoText for String {
    fn into_text(self) -> Result<String> {
        Ok(self)
    }
}

impl IntoText for &str {
    fn into_text(self) -> Result<String> {
        Ok(self.to_owned())
    }
}

impl IntoText for Cow<'_, str> {
    fn into_text(self) -> Result<String> {
        Ok(self.into_owned())
    }
}

impl<T, E> IntoText for Result<T, E>
where
    T: Into<String>,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn into_text(self) -> Result<String> {
        // An error of this crate stays as it is.
        self.map(Into::into)
            .map_err(|error| error.into().downcast().map_or_else(Error::Other, |error| *error))
    }
}
