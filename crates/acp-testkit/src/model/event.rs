//! The events by which a model says an answer.

use serde_json::Value;

use super::answer::{Call, Finish};

/// An event of a stream.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) name: Option<&'static str>,
    pub(super) data: String,
}

impl Event {
    pub(super) fn data(data: &Value) -> Self {
        Self { name: None, data: data.to_string() }
    }

    pub(super) fn named(name: &'static str, data: &Value) -> Self {
        Self { name: Some(name), data: data.to_string() }
    }
}

/// The facts about an answer that are the same in all of its events.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// The number of the answer, which makes its ids.
    pub(super) number: u64,
    pub(super) model: String,
    /// True if the client wants to be told the usage at the end of a stream.
    pub(super) wants_usage: bool,
}

/// Says an answer as events, in this order: `begin`, `thought`, the text, calls, `end`.
pub(super) trait Stream: Send {
    fn begin(&mut self) -> Vec<Event>;
    /// Says a thought, whole.
    fn thought(&mut self, text: &str) -> Vec<Event>;
    fn begin_text(&mut self) -> Vec<Event> {
        Vec::new()
    }
    fn words(&mut self, words: &str) -> Event;
    /// Ends the text, which was `text` in all.
    fn end_text(&mut self, _text: &str) -> Vec<Event> {
        Vec::new()
    }
    fn call(&mut self, call: &Call) -> Vec<Event>;
    fn end(&mut self, finish: Finish) -> Vec<Event>;
}

/// The number of tokens that every request and every answer has.
pub(super) const TOKENS: [u64; 2] = [120, 15];

/// The length of a piece of a call's arguments, in characters.
const PIECE: usize = 20;

/// Cuts a text into pieces, as a model says it.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE).map(|piece| piece.iter().collect()).collect()
}
