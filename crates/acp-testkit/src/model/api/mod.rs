//! The model APIs: the form in which each of them says an answer.

mod chat;
mod gemini;
mod messages;
mod responses;

use serde_json::Value;

use super::answer::Plan;
use super::event::{Head, Stream};

/// A model API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    /// OpenAI chat completions.
    Chat,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Messages,
    /// Gemini `generateContent`.
    Gemini,
}

impl Api {
    /// Returns the API of a path, and whether it always streams.
    pub(super) fn of_path(path: &str) -> Option<(Self, bool)> {
        let is = |end: &str| path.ends_with(end);
        Some(match () {
            () if is("/chat/completions") => (Api::Chat, false),
            () if is("/responses") => (Api::Responses, false),
            () if is("/messages") => (Api::Messages, false),
            () if is(":generateContent") => (Api::Gemini, false),
            () if is(":streamGenerateContent") => (Api::Gemini, true),
            () => return None,
        })
    }

    /// Returns the stream for an answer.
    pub(super) fn stream(self, head: Head) -> Box<dyn Stream> {
        match self {
            Api::Chat => Box::new(chat::Chat::new(head)),
            Api::Responses => Box::new(responses::Responses::new(head)),
            Api::Messages => Box::new(messages::Messages::new(head)),
            Api::Gemini => Box::new(gemini::Gemini::new(head)),
        }
    }

    /// Returns a whole answer.
    pub(super) fn whole(self, head: &Head, plan: &Plan) -> Value {
        match self {
            Api::Chat => chat::whole(head, plan),
            Api::Responses => responses::whole(head, plan),
            Api::Messages => messages::whole(head, plan),
            Api::Gemini => gemini::whole(head, plan),
        }
    }
}
