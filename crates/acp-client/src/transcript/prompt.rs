//! The client's own prompts, and their repetition by agents.

use acp_types::v1::{ContentChunk, MessageId};

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

    /// Gives the last prompt the id that the agent has chosen for it: see
    /// [`Turn::message_id`](crate::Turn::message_id). Later updates with this id change the prompt.
    pub fn prompt_id(&mut self, id: impl Into<MessageId>) -> Change {
        let id = id.into();
        if self.message_for(MessageKind::User, Some(&id)).is_some() {
            return Change::Nothing;
        }
        let last = self.timeline.iter_mut().filter_map(|(number, entry)| match entry {
            Entry::Message(message) if message.kind == MessageKind::User => Some((number, message)),
            _ => None,
        });
        match last.last() {
            Some((number, prompt)) if prompt.id.is_none() => {
                prompt.id = Some(id);
                self.timeline.index_again(number);
                Change::Updated(number)
            }
            _ => Change::Nothing,
        }
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
        self.fold_received_echo(received)
    }

    /// Takes in what an agent has repeated of the prompt so far.
    pub(super) fn fold_received_echo(&mut self, received: Message) -> Change {
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
