//! A recording as messages of two sides, without what differs from run to run.

use std::collections::HashMap;
use std::fmt;

use acp_rpc::Id;
use acp_rpc::tap::{Direction, Entry, Kind, Record, RecordingError};
use serde_json::{Map, Value, json};

use super::names::Names;
use super::sides::{Side, client_of};

/// The parts of messages that do not count.
#[derive(Clone, Debug, Default)]
pub struct Normal {
    names: Vec<String>,
    pointers: Vec<String>,
    joins_chunks: bool,
}

impl Normal {
    /// Leaves out members with this name, at any depth, or the value at a JSON pointer, such as
    /// `/params/_meta`. A pointer begins with `/`.
    #[must_use]
    pub fn ignore(mut self, name_or_pointer: impl Into<String>) -> Self {
        let text = name_or_pointer.into();
        if text.starts_with('/') {
            self.pointers.push(text)
        } else {
            self.names.push(text)
        }
        self
    }

    /// Joins pieces of one text that came one after the other: a model cuts its text anew each
    /// time.
    #[must_use]
    pub const fn join_chunks(mut self) -> Self {
        self.joins_chunks = true;
        self
    }

    fn apply(&self, body: &mut Value) {
        for pointer in &self.pointers {
            let Some((parent, last)) = pointer.rsplit_once('/') else { continue };
            let last = last.replace("~1", "/").replace("~0", "~");
            if let Some(Value::Object(members)) = body.pointer_mut(parent) {
                members.remove(&last);
            }
        }
        if !self.names.is_empty() {
            self.drop_named(body);
        }
    }

    fn drop_named(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.drop_named(item)),
            Value::Object(members) => {
                members.retain(|name, _| !self.names.contains(name));
                members.values_mut().for_each(|value| self.drop_named(value));
            }
            _ => {}
        }
    }
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageKind {
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response with a result.
    Result,
    /// A response with an error.
    Error,
    /// A line that is not a message.
    Noise,
}

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "request",
            Self::Notification => "notification",
            Self::Result => "result",
            Self::Error => "error",
            Self::Noise => "noise",
        })
    }
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// The number of its record in the recording, from 1.
    pub record: usize,
    /// The side that sent it.
    pub from: Side,
    /// Its kind.
    pub kind: MessageKind,
    /// Its method. A response has that of its request. Empty for noise, and for a response to
    /// something that was not recorded.
    pub method: String,
    /// The session that it belongs to. That is also the one that a result has opened.
    pub session: Option<String>,
    /// An object with its `params`, `result` or `error`, or with the `line` of noise.
    pub body: Value,
}

/// A recording, normalised. It is held in memory.
///
/// Sessions are named `session-1` and so on in the order of the requests that introduced them. Ids
/// of tool calls, terminals, messages, plans and so on are counted in their session. The ids of
/// requests are gone: a response has the method of its request. Times are `<time>`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversation {
    /// The direction of the client's lines: that of the first message that tells, or else `out`.
    pub client: Direction,
    /// The messages, in the order of the recording.
    pub messages: Vec<Message>,
    /// The number of lines that could not be recorded.
    pub dropped: u64,
}

impl Conversation {
    /// Reads a recording.
    ///
    /// # Errors
    /// Fails if a record cannot be read.
    pub fn read(
        recording: impl IntoIterator<Item = Result<Record, RecordingError>>,
        normal: &Normal,
    ) -> Result<Self, RecordingError> {
        let (mut entries, mut dropped) = (Vec::new(), 0);
        for (record, number) in recording.into_iter().zip(1..) {
            match record? {
                Record::Line(entry) => entries.push((number, entry)),
                Record::Dropped { count, .. } => dropped += count,
                _ => {}
            }
        }
        let client = entries.iter().find_map(|(_, entry)| client_of(entry)).unwrap_or(Direction::Out);
        let mut reader = Reader { client, normal, names: Names::default(), open: HashMap::new() };
        reader.name_sessions(&entries);
        let mut messages: Vec<Message> = Vec::new();
        for (number, entry) in &entries {
            let message = reader.message(*number, entry);
            if !(normal.joins_chunks && join(&mut messages, &message)) {
                messages.push(message);
            }
        }
        Ok(Self { client, messages, dropped })
    }
}

/// Adds a piece of text to the last message of its session and side. Returns false if the text does
/// not go on there.
fn join(messages: &mut [Message], piece: &Message) -> bool {
    let is_same = |last: &&mut Message| last.session == piece.session && last.from == piece.from;
    let Some(last) = messages.iter_mut().rev().find(is_same) else { return false };
    let (Some((head, _)), Some((next, text))) = (chunk(&last.body), chunk(&piece.body)) else { return false };
    let (is_next, text) = (head == next, text.to_owned());
    if is_next && let Some(Value::String(whole)) = last.body.pointer_mut("/params/update/content/text") {
        whole.push_str(&text);
    }
    is_next
}

/// Returns the kind and the message of a piece of text, and the text.
fn chunk(body: &Value) -> Option<((&str, Option<&Value>), &str)> {
    let update = body.pointer("/params/update")?;
    let kind = update.get("sessionUpdate")?.as_str().filter(|kind| kind.ends_with("_chunk"))?;
    let content =
        update.get("content").filter(|content| content.get("type").is_some_and(|it| it == "text"))?;
    Some(((kind, update.get("messageId")), content.get("text")?.as_str()?))
}

/// A recording under way.
struct Reader<'n> {
    client: Direction,
    normal: &'n Normal,
    names: Names,
    /// Requests without an answer, by side and id: method and session.
    open: HashMap<(bool, String), (String, Option<String>)>,
}

impl Reader<'_> {
    /// Names the sessions by the order in which the client asked for them. Answers may overtake
    /// each other.
    fn name_sessions(&mut self, entries: &[(usize, Entry)]) {
        let mut asked: HashMap<(bool, String), usize> = HashMap::new();
        let mut seen: Vec<(usize, String)> = Vec::new();
        for (at, (_, entry)) in entries.iter().enumerate() {
            let body = entry.body.as_ref().map(|body| body.as_node());
            let session = |part| Some(body?.get(part)?.get("sessionId")?.as_str()?.to_owned());
            let is_out = entry.direction == Direction::Out;
            match entry.kind {
                Kind::Request | Kind::Notification => {
                    if let Some(id) = &entry.id {
                        asked.insert((is_out, key(id)), at);
                    }
                    seen.extend(session("params").map(|id| (at, id)));
                }
                Kind::Result => {
                    let request = entry.id.as_ref().and_then(|id| asked.get(&(!is_out, key(id))));
                    seen.extend(session("result").map(|id| (request.copied().unwrap_or(at), id)));
                }
                _ => {}
            }
        }
        seen.sort();
        for (_, id) in seen {
            self.names.session(&id);
        }
    }

    fn message(&mut self, record: usize, entry: &Entry) -> Message {
        let is_client = entry.direction == self.client;
        let from = if is_client { Side::Client } else { Side::Agent };
        let body = entry.body.as_ref().map(acp_json::to_string);
        let mut body: Value = body.and_then(|body| serde_json::from_str(&body).ok()).unwrap_or_default();
        let mut method = entry.method.clone().unwrap_or_default();
        let id = entry.id.as_ref().map(key);
        let session_in =
            |part: &str, body: &Value| Some(body.get(part)?.get("sessionId")?.as_str()?.to_owned());
        let (kind, part, session) = match entry.kind {
            Kind::Request | Kind::Notification => {
                let session = session_in("params", &body).map(|id| self.names.session(&id));
                let is_request = entry.kind == Kind::Request;
                if let (true, Some(id)) = (is_request, id) {
                    self.open.insert((is_client, id), (method.clone(), session.clone()));
                }
                let kind = if is_request { MessageKind::Request } else { MessageKind::Notification };
                (kind, "params", session)
            }
            Kind::Result | Kind::Error(_) => {
                let request = id.and_then(|id| self.open.remove(&(!is_client, id)));
                let (asked, session) = request.unwrap_or_default();
                method = asked;
                if entry.kind == Kind::Result {
                    let opened = || session_in("result", &body).map(|id| self.names.session(&id));
                    (MessageKind::Result, "result", session.or_else(opened))
                } else {
                    (MessageKind::Error, "error", session)
                }
            }
            _ => (MessageKind::Noise, "", None),
        };
        if method == "$/cancel_request" {
            self.name_request(&mut body, is_client);
        }
        let mut body = match (part, body.get_mut(part)) {
            ("", _) => json!({ "line": body }),
            (part, Some(value)) => Value::Object(Map::from_iter([(part.to_owned(), value.take())])),
            (_, None) => json!({}),
        };
        self.names.apply(&mut body, session.as_deref());
        self.normal.apply(&mut body);
        Message { record, from, kind, method, session, body }
    }

    /// Puts the method of the request in place of its id.
    fn name_request(&self, body: &mut Value, is_client: bool) {
        let Some(id) = body.pointer_mut("/params/requestId") else { return };
        if let Some((method, _)) = self.open.get(&(is_client, id_text(id))) {
            *id = method.clone().into();
        }
    }
}

fn key(id: &Id) -> String {
    match id {
        Id::Str(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn id_text(id: &Value) -> String {
    match id {
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}
