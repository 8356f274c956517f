//! The structure of a message: its members, numbers and the words of the protocol. All other texts
//! are numbered.

use serde_json::{Map, Value};

/// Members whose values are words of the protocol.
const WORDS: [&str; 12] = [
    "jsonrpc",
    "method",
    "sessionUpdate",
    "type",
    "status",
    "kind",
    "stopReason",
    "outcome",
    "state",
    "role",
    "priority",
    "category",
];

/// Members whose content is the peer's own.
const OPAQUE: [&str; 6] = ["_meta", "rawInput", "rawOutput", "data", "requestedSchema", "schema"];

/// A longer list is cut: the rest of it shows nothing else.
const ITEMS: usize = 3;

/// The texts of a failure, each with a number by which it is known in all of the failure's lines.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<String>);

impl Texts {
    /// Returns the structure of a line, or words about it if it is not JSON.
    pub(super) fn line(&mut self, text: &str) -> Value {
        match serde_json::from_str(text) {
            Ok(message) => self.value(None, message),
            Err(_) => format!("<{} bytes that are not JSON>", text.len()).into(),
        }
    }

    /// Returns a sentence without the texts of the lines.
    pub(super) fn sentence(&self, sentence: &str) -> String {
        let mut texts: Vec<(usize, &String)> = self.0.iter().enumerate().collect();
        // The longest first: a text may be a part of another one.
        texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
        let long = texts.iter().filter(|(_, text)| text.chars().count() > 3);
        long.fold(sentence.to_owned(), |sentence, (at, text)| {
            sentence.replace(text.as_str(), &format!("<text {}>", at + 1))
        })
    }

    fn value(&mut self, member: Option<&str>, value: Value) -> Value {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
            Value::String(text) => match member {
                Some(name) if WORDS.contains(&name) && is_word(&text) => text.into(),
                _ => self.number(text).into(),
            },
            Value::Array(items) => {
                let more = items.len().saturating_sub(ITEMS);
                let mut items: Vec<Value> =
                    items.into_iter().take(ITEMS).map(|item| self.value(member, item)).collect();
                if more > 0 {
                    items.push(format!("<{more} more>").into());
                }
                items.into()
            }
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, value)| {
                    let value = match value {
                        Value::Object(_) | Value::Array(_) if OPAQUE.contains(&name.as_str()) => {
                            Value::from("<not shown>")
                        }
                        value => self.value(Some(&name), value),
                    };
                    (name, value)
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    fn number(&mut self, text: String) -> String {
        if text.is_empty() {
            return text;
        }
        let at = self.0.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        });
        format!("<text {}>", at + 1)
    }
}

/// Tells a word of the protocol from a text by its form.
fn is_word(text: &str) -> bool {
    let of_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_/$.".contains(c);
    text.len() <= 48 && text.chars().all(of_word)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_of_others_are_numbered_and_words_of_the_protocol_stay() {
        let mut texts = Texts::default();
        let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"abcd","update":
            {"sessionUpdate":"tool_call","title":"Rob a bank","rawInput":{"a":"b"},"n":[1,2,3,4,5],"s":["abcd"]}}}"#;
        let expected = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "<text 1>",
            "update": {"sessionUpdate": "tool_call", "title": "<text 2>", "rawInput": "<not shown>",
            "n": [1, 2, 3, "<2 more>"], "s": ["<text 1>"]}}});
        assert_eq!(texts.line(line), expected);
        assert_eq!(texts.sentence("the session `abcd`"), "the session `<text 1>`");
        assert_eq!(texts.line("Warning: no"), json!("<11 bytes that are not JSON>"));
        // A text in the place of a word.
        assert_eq!(texts.line(r#"{"type":"Hello you"}"#), json!({"type": "<text 3>"}));
    }
}
