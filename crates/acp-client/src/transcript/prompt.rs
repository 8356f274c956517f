//! The client's own prompts, and their repetition by agents.

use acp_types::v1::ContentChunk;

use super::{Change, Entry, Message, MessageKind, Transcript, content};
use crate::IntoPrompt;

impl Transcript {
    /// Takes in a prompt to the agent, as a message of the user. Some agents repeat it before
    /// anything else. The repetition is not shown.
    pub fn prompt(&mut self, prompt: impl IntoPrompt) -> Change {
        let mut message = Message::new(MessageKind::User, None);
        for block in prompt.into_prompt() {
            content::append(&mut message.content, block);
        }
        let added = self.add(Entry::Message(message));
        self.echo = Some(Message::new(MessageKind::User, None));
        added
    }

    pub(super) fn fold_user_chunk(&mut self, chunk: ContentChunk) -> Change {
        let id = chunk.message_id.as_deref();
        let is_of_another = id.is_some() && self.message_for(MessageKind::User, id).is_some();
        let echo = if is_of_another { None } else { self.echo.take() };
        match echo {
            Some(received) if received.is_blank() || received.id.as_ref() == id => {
                self.fold_echo(received, chunk)
            }
            _ => self.fold_chunk(MessageKind::User, chunk),
        }
    }

    fn fold_echo(&mut self, mut received: Message, chunk: ContentChunk) -> Change {
        received.id = chunk.message_id.as_deref().cloned();
        received.append(chunk);
        let Some((entry, Entry::Message(prompt))) = self.timeline.tail_mut() else {
            return self.add(Entry::Message(received));
        };
        // An agent may also repeat more than the prompt.
        if content::is_start_of(&prompt.content, &received.content) {
            prompt.id = received.id;
            prompt.content = received.content;
            content::join_meta(&mut prompt.meta, received.meta);
            self.timeline.index_again(entry);
            return Change::Updated(entry);
        }
        if content::is_start_of(&received.content, &prompt.content) {
            self.echo = Some(received);
            return Change::Nothing;
        }
        // It is a message of its own.
        self.add(Entry::Message(received))
    }
}
