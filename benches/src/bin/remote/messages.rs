//! The messages of the comparison, as bytes.

use serde_json::json;

/// The number of updates of a turn.
pub(crate) const UPDATES: usize = 16;
/// The text of every update.
pub(crate) const CHUNK: &str = "The failing test compares two paths that differ only by a symlink, so I will canonicalize both of these.";
/// The end of a turn is the message that has this in it.
pub(crate) const END: &[u8] = b"\"stopReason\"";
/// The session of the floor. Those of agents have ids of about the same length.
pub(crate) const SESSION: &str = "sess_0123456789abcdef0123456789abcdef";

pub(crate) fn initialize() -> String {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": 1, "clientCapabilities": {}}})
    .to_string()
}

pub(crate) fn new_session() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}})
        .to_string()
}

pub(crate) fn prompt(id: u64, session: &str) -> String {
    let prompt = [json!({"type": "text", "text": "What changed?"})];
    json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt",
        "params": {"sessionId": session, "prompt": prompt}})
    .to_string()
}

/// An update of the floor.
pub(crate) fn update() -> String {
    let content = json!({"type": "text", "text": CHUNK});
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": SESSION, "update": update}})
        .to_string()
}

/// The answer of the floor to a message: nothing more than its id is read.
pub(crate) fn answer(id: u64, result: &serde_json::Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns the id of a message that was made here.
pub(crate) fn id_of(message: &[u8]) -> u64 {
    let at = memchr::memmem::find(message, b"\"id\":").map_or(0, |at| at + 5);
    message[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |id, digit| id * 10 + u64::from(digit - b'0'))
}

/// Returns true if the text has these bytes in it.
pub(crate) fn has(text: &[u8], bytes: &[u8]) -> bool {
    memchr::memmem::find(text, bytes).is_some()
}
