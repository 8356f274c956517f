//! Updates of two kinds of text.

use acp_agent::store::{Record, RecordKind};

/// The kind of text of an update.
#[derive(Clone, Copy)]
pub(crate) enum Text {
    /// Words at random, as different from each other as those of an agent.
    Words,
    /// One sentence, repeated. Nothing is easier to compress.
    Repeated,
}

/// Returns the update with this number: some 200 characters of text.
pub(crate) fn update(text: Text, number: usize) -> Record {
    Record::new(RecordKind::Update, json(text, number)).expect("it is JSON")
}

pub(crate) fn json(text: Text, number: usize) -> String {
    let text = match text {
        Text::Words => words(number),
        Text::Repeated => "a word, and another one, ".repeat(8),
    };
    let content = format!(r#"{{"type":"text","text":"{text}{number}"}}"#);
    format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#)
}

/// Returns words out of a vocabulary of some 2,000.
fn words(number: usize) -> String {
    const SYLLABLES: [&str; 13] =
        ["ra", "to", "shi", "mel", "con", "de", "ver", "ing", "pol", "a", "ist", "un", "ker"];
    let mut state = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut text = String::new();
    while text.len() < 200 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut word = state % 2197;
        for _ in 0..3 {
            text.push_str(SYLLABLES[(word % 13) as usize]);
            word /= 13;
        }
        text.push(' ');
    }
    text
}
