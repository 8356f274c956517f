//! The place where acts of a person become lines to the agent.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::negotiation::{Negotiation, params};
use super::questions::Questions;
use crate::store::Store;
use crate::view;

/// The code of the answer to a request whose method is not offered.
const METHOD_NOT_FOUND: i32 = -32601;
/// The code of the answer to a question while too many others wait.
const OVERLOADED: i32 = -32603;

/// Makes the lines to the agent. Clones are one desk.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    lines: mpsc::Sender<Vec<u8>>,
    next: AtomicU64,
    folder: PathBuf,
    talk: Mutex<Talk>,
}

/// The state of the conversation.
#[derive(Debug)]
struct Talk {
    negotiation: Negotiation,
    questions: Questions,
}

impl Desk {
    pub(super) fn new(lines: mpsc::Sender<Vec<u8>>, folder: PathBuf, spoken: Vec<ProtocolVersion>) -> Self {
        let talk = Talk { negotiation: Negotiation::new(spoken), questions: Questions::default() };
        Self { shared: Arc::new(Shared { lines, next: AtomicU64::new(0), folder, talk: Mutex::new(talk) }) }
    }

    fn talk(&self) -> MutexGuard<'_, Talk> {
        self.shared.talk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, message: &Value) -> Result<(), String> {
        self.shared.lines.try_send(format!("{message}\n").into_bytes()).map_err(|error| match error {
            TrySendError::Full(_) => "the agent does not read its messages".to_owned(),
            TrySendError::Closed(_) => "the agent has ended".to_owned(),
        })
    }

    fn next(&self) -> u64 {
        self.shared.next.fetch_add(1, Ordering::Relaxed)
    }

    fn request(&self, id: u64, method: &str, params: &Value) -> Result<(), String> {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    /// Sends a request of a session, which needs a version that is settled.
    fn ask(&self, method: &str, params: &Value) -> Result<(), String> {
        if self.shared.lines.is_closed() {
            return Err("the agent has ended".to_owned());
        }
        self.talk().negotiation.settled()?;
        self.request(self.next(), method, params)
    }

    /// Offers the agent the versions, the preferred one first.
    pub(super) fn offer(&self, versions: Vec<ProtocolVersion>) {
        self.talk().negotiation = Negotiation::new(versions);
    }

    pub(super) fn initialize(&self) -> Result<(), String> {
        let version = self.talk().negotiation.first();
        self.initialize_in(version)
    }

    fn initialize_in(&self, version: ProtocolVersion) -> Result<(), String> {
        let id = self.next();
        self.talk().negotiation.ask(id, version);
        self.request(id, "initialize", &params(version))
    }

    /// Hears a line of the agent: answers to `initialize`, questions, and their ends. The error is a
    /// sentence for people.
    pub(super) fn hear(&self, line: &[u8]) -> Result<(), String> {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return Ok(()) };
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            let next = self.talk().negotiation.hear(&message);
            return next.map_or(Ok(()), |version| self.initialize_in(version));
        };
        match message.get("id") {
            Some(id) => self.hear_question(id, method, &message),
            None if method == "$/cancel_request" => self.withdraw(message.pointer("/params/requestId")),
            None => Ok(()),
        }
    }

    fn hear_question(&self, id: &Value, method: &str, message: &Value) -> Result<(), String> {
        let (code, says) = if method == "session/request_permission" {
            let session = message.pointer("/params/sessionId").and_then(Value::as_str).unwrap_or_default();
            if self.talk().questions.add(id, session) {
                return Ok(());
            }
            (OVERLOADED, "too many questions wait for an answer, or the id of this one is too long")
        } else {
            (METHOD_NOT_FOUND, "the inspector does not offer this method")
        };
        self.say(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": says}}))
    }

    /// Answers a question that the agent does not need any more.
    fn withdraw(&self, id: Option<&Value>) -> Result<(), String> {
        match id {
            Some(id) => self.reply(id, &cancelled()).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Answers a question, unless it was answered before. Returns false if so. A question whose answer
    /// has no room waits on.
    fn reply(&self, id: &Value, outcome: &Value) -> Result<bool, String> {
        let mut talk = self.talk();
        if !talk.questions.has(id) {
            return Ok(false);
        }
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}))?;
        Ok(talk.questions.take(id))
    }

    pub(super) fn open(&self) -> Result<(), String> {
        self.ask("session/new", &json!({"cwd": self.shared.folder, "mcpServers": []}))
    }

    pub(super) fn prompt(&self, session: &str, text: &str) -> Result<(), String> {
        let blocks = json!([{"type": "text", "text": text}]);
        self.ask("session/prompt", &json!({"sessionId": session, "prompt": blocks}))
    }

    /// Ends the turn of a session. Its questions are withdrawn, and answered as cancelled. Version 2
    /// allows that, and version 1 wants it.
    pub(super) fn cancel(&self, session: &str) -> Result<(), String> {
        let params = json!({"sessionId": session});
        self.say(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}))?;
        let ids = self.talk().questions.of(session);
        ids.iter().try_for_each(|id| self.reply(id, &cancelled()).map(|_| ()))
    }

    /// Answers a question for permission with one of its options, or as cancelled.
    pub(super) fn answer(&self, store: &Store, seq: u64, option: Option<&str>) -> Result<(), String> {
        let none = || format!("message {seq} is not a question that waits for an answer");
        if !view::asks(store).contains(&seq) {
            return Err(none());
        }
        let asked = message(store, seq).ok_or_else(none)?;
        let options = asked.pointer("/params/options").and_then(Value::as_array);
        let is_of = |wanted: &str| {
            let mut ids = options.into_iter().flatten().filter_map(|option| option.get("optionId")?.as_str());
            ids.any(|id| id == wanted)
        };
        let outcome = match option {
            None => cancelled(),
            Some(option) if is_of(option) => json!({"outcome": "selected", "optionId": option}),
            Some(_) => return Err(format!("message {seq} has no such option")),
        };
        let id = asked.get("id").ok_or_else(none)?;
        if self.reply(id, &outcome)? { Ok(()) } else { Err(none()) }
    }

    /// Sends a message that a person has written. A request gets an id of its own.
    pub(super) fn send(&self, text: &str) -> Result<(), String> {
        let mut message: Value =
            serde_json::from_str(text).map_err(|error| format!("the message is not JSON: {error}"))?;
        let Some(members) = message.as_object_mut() else {
            return Err("the message is not an object".to_owned());
        };
        members.insert("jsonrpc".to_owned(), json!("2.0"));
        if members.contains_key("method") && members.contains_key("id") {
            let id = self.next();
            members.insert("id".to_owned(), json!(id));
            if members.get("method").and_then(Value::as_str) == Some("initialize") {
                self.talk().negotiation.ask_as_person(id, members.get("params"));
            }
        }
        self.say(&message)
    }
}

/// Returns the outcome of a question that nobody has answered.
fn cancelled() -> Value {
    json!({"outcome": "cancelled"})
}

/// Reads a message of the store.
fn message(store: &Store, seq: u64) -> Option<Value> {
    let line = view::raw(store, seq).ok()??;
    serde_json::from_slice(&line).ok()
}
