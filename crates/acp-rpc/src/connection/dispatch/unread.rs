//! Lines that cannot be read as they came.

use super::{Dispatch, Received};
use crate::core::fault::Fault;
use crate::wire::head::Head;
use crate::wire::message::{Answer, Error, Id, Message, NotJson};
use crate::wire::reading::{Noise, Unread, read, repaired};

impl Dispatch {
    /// Deals with a line that is not JSON as it came. If only its text is wrong, it is repaired.
    #[cold]
    pub(super) fn not_read(&mut self, line: &[u8], error: NotJson) -> Received {
        let Some(text) = repaired(line, self.noise) else { return self.not_json(line, error) };
        let text = text.as_bytes();
        match read(text, self.max_message) {
            Ok(message) => {
                if self.is_new() {
                    self.observer.received(line, text);
                    self.report(Fault::Repaired { line, column: error.column });
                }
                self.message(with_sound_id(message))
            }
            Err(Unread::TooHeavy) => {
                self.too_heavy(line);
                Received::Done
            }
            Err(Unread::NotJson(error)) => self.not_json(line, error),
        }
    }

    fn not_json(&mut self, line: &[u8], error: NotJson) -> Received {
        self.observer.received(line, line);
        let column = error.column.min(line.len());
        self.report(Fault::NotJson { line, column });
        let head = Head::of(line);
        // Rule v1-rpc-16 is about lines without an id. A caller that waits for an answer must learn
        // that none will come.
        let error = if head.id.is_some() && head.is_call {
            let problem = format!("the message cannot be read as JSON from byte {column} on");
            Error::new(Error::PARSE_ERROR, problem)
        } else {
            Error::parse_error()
        };
        self.unreadable(head, &error, "it is not valid JSON");
        Received::Done
    }

    pub(super) fn oversized(&mut self, head: Head, length: u64) {
        let limit = self.max_line;
        self.observer.oversized(head.id.as_ref(), length);
        self.report(Fault::Oversized { length, limit, id: head.id.as_ref() });
        let error = Error::invalid_request(format!("the message is longer than the limit of {limit} bytes"));
        self.unreadable(head, &error, "it is longer than the limit");
    }

    pub(super) fn too_heavy(&mut self, line: &[u8]) {
        let (head, limit) = (Head::of(line), self.max_message);
        self.observer.oversized(head.id.as_ref(), line.len() as u64);
        self.report(Fault::TooHeavy { length: line.len(), limit, id: head.id.as_ref() });
        let problem = format!("the values of the message take more than {limit} bytes of memory");
        self.unreadable(head, &Error::invalid_request(problem), "its values take more memory than the limit");
    }

    /// Deals with a line of which only the head is known.
    fn unreadable(&mut self, head: Head, error: &Error, problem: &'static str) {
        match head {
            // An answer is never answered. But its waiter must not wait for ever.
            Head { id, is_response: true, .. } => {
                let id = id.unwrap_or(Id::Null);
                let waiter = self.peer.shared.endpoint().settle(&id);
                if let Some(waiter) = waiter {
                    self.answered(&id, waiter, Answer::Malformed(problem));
                }
            }
            Head { id: Some(id), is_call: true, .. } => self.refuse(&id, error),
            Head { .. } if self.noise == Noise::Answer => self.refuse(&Id::Null, error),
            Head { .. } => {}
        }
    }
}

/// Returns a message that was repaired. An id that differs from the one on the wire would match
/// nothing there.
fn with_sound_id(message: Message<'_>) -> Message<'_> {
    match message {
        Message::Request { id: Id::Str(id), .. } if id.contains(char::REPLACEMENT_CHARACTER) => {
            Message::Invalid { id: Id::Null, problem: "an `id` must be whole Unicode text" }
        }
        message => message,
    }
}
