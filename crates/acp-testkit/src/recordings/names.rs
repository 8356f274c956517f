//! Names for the ids of a conversation that do not depend on the run.

use std::collections::HashMap;

use serde_json::Value;

/// Members with ids that a peer makes up. Ids such as `modeId` are names that people choose.
const MADE_UP: [&str; 8] = [
    "compactionId",
    "connectionId",
    "elicitationId",
    "messageId",
    "planId",
    "sessionId",
    "terminalId",
    "toolCallId",
];
/// The name of every time.
const TIME: &str = "<time>";

/// Names by ids. Sessions are counted in the conversation, and all else in its session.
#[derive(Debug, Default)]
pub(super) struct Names {
    sessions: HashMap<String, String>,
    others: HashMap<(Option<String>, &'static str, String), String>,
    counts: HashMap<(Option<String>, &'static str), usize>,
}

impl Names {
    /// Returns the name of a session, and gives it one if it has none.
    pub(super) fn session(&mut self, id: &str) -> String {
        if let Some(name) = self.sessions.get(id) {
            return name.clone();
        }
        let name = format!("session-{}", self.sessions.len() + 1);
        self.sessions.insert(id.to_owned(), name.clone());
        name
    }

    /// Puts names in place of the ids and times in a value that belongs to a session.
    pub(super) fn apply(&mut self, value: &mut Value, session: Option<&str>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item, session)),
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(text) => {
                            if let Some(kind) = MADE_UP.iter().copied().find(|kind| *kind == name) {
                                *text = self.name(text, kind, session);
                            } else if is_time(text) {
                                TIME.clone_into(text);
                            }
                        }
                        other => self.apply(other, session),
                    }
                }
            }
            _ => {}
        }
    }

    fn name(&mut self, id: &str, kind: &'static str, session: Option<&str>) -> String {
        if kind == "sessionId" {
            return self.session(id);
        }
        let place = session.map(str::to_owned);
        let key = (place.clone(), kind, id.to_owned());
        if let Some(name) = self.others.get(&key) {
            return name.clone();
        }
        let count = self.counts.entry((place, kind)).or_default();
        *count += 1;
        let name = format!("{}-{count}", kind.strip_suffix("Id").unwrap_or(kind));
        self.others.insert(key, name.clone());
        name
    }
}

/// Returns true for a date with a time of day, as RFC 3339 writes it.
fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let digits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    text.len() > FORM.len()
        && text.len() <= 35
        && text.as_bytes().iter().zip(FORM).all(digits)
        && text.ends_with(|last: char| last == 'Z' || last == 'z' || last.is_ascii_digit())
}
