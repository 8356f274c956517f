//! The place where acts of a person become lines to the agent.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::store::Store;
use crate::view;

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
    /// The questions that were answered here. The store learns of that a moment later.
    answered: Mutex<HashSet<u64>>,
}

impl Desk {
    pub(super) fn new(lines: mpsc::Sender<Vec<u8>>, folder: PathBuf) -> Self {
        let answered = Mutex::default();
        Self { shared: Arc::new(Shared { lines, next: AtomicU64::new(0), folder, answered }) }
    }

    /// Sends a message. The error is a sentence for people.
    pub(super) fn say(&self, message: &Value) -> Result<(), String> {
        self.shared.lines.try_send(format!("{message}\n").into_bytes()).map_err(|error| match error {
            TrySendError::Full(_) => "the agent does not read its messages".to_owned(),
            TrySendError::Closed(_) => "the agent has ended".to_owned(),
        })
    }

    fn request(&self, method: &str, params: &Value) -> Result<(), String> {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    pub(super) fn initialize(&self) -> Result<(), String> {
        let info = json!({"name": "acp-inspect", "version": env!("CARGO_PKG_VERSION")});
        self.request(
            "initialize",
            &json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": info}),
        )
    }

    pub(super) fn open(&self) -> Result<(), String> {
        self.request("session/new", &json!({"cwd": self.shared.folder, "mcpServers": []}))
    }

    pub(super) fn prompt(&self, session: &str, text: &str) -> Result<(), String> {
        let blocks = json!([{"type": "text", "text": text}]);
        self.request("session/prompt", &json!({"sessionId": session, "prompt": blocks}))
    }

    /// Ends the turn of a session. Its questions are withdrawn, and answered as cancelled.
    pub(super) fn cancel(&self, store: &Store, session: &str) -> Result<(), String> {
        let params = json!({"sessionId": session});
        self.say(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}))?;
        for seq in view::asks(store) {
            let Some(asked) = message(store, seq) else { continue };
            if asked.pointer("/params/sessionId").and_then(Value::as_str) == Some(session) {
                self.answer(store, seq, None)?;
            }
        }
        Ok(())
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
            None => json!({"outcome": "cancelled"}),
            Some(option) if is_of(option) => json!({"outcome": "selected", "optionId": option}),
            Some(_) => return Err(format!("message {seq} has no such option")),
        };
        let mut answered = self.shared.answered.lock().unwrap_or_else(PoisonError::into_inner);
        if !answered.insert(seq) {
            return Err(none());
        }
        self.say(&json!({"jsonrpc": "2.0", "id": asked.get("id"), "result": {"outcome": outcome}}))
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
            let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
            members.insert("id".to_owned(), json!(id));
        }
        self.say(&message)
    }
}

/// Reads a message of the store.
fn message(store: &Store, seq: u64) -> Option<Value> {
    let line = view::raw(store, seq).ok()??;
    serde_json::from_slice(&line).ok()
}
