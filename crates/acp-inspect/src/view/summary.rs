//! The two sides of the connection.

use std::io;

use serde_json::{Value, json};

use super::PARSED;
use crate::store::Store;

/// Returns the lanes, from the left to the right.
pub(crate) fn lanes(store: &Store) -> Vec<&'static str> {
    let mut lanes = vec!["client", "agent"];
    if store.lock().methods.any(|method| method.starts_with("mcp/")) {
        lanes.push("mcp");
    }
    lanes
}

/// Returns what the sides have said of themselves in `initialize`.
pub(crate) fn capabilities(store: &Store) -> io::Result<Value> {
    let (asked, answered, version) = {
        let state = store.lock();
        let asked = state.initialize.and_then(|seq| state.entry(seq)).copied();
        let answered = asked.and_then(|asked| state.entry(u64::from(asked.pair))).copied();
        (asked, answered, state.version)
    };
    let part = |entry: Option<crate::store::entry::Entry>, member: &str| -> io::Result<Value> {
        let Some(entry) = entry else { return Ok(Value::Null) };
        let line = store.line(&entry, PARSED)?;
        let mut value: Value = serde_json::from_slice(&line).unwrap_or_default();
        Ok(value.get_mut(member).map(Value::take).unwrap_or_default())
    };
    Ok(json!({"client": part(asked, "params")?, "agent": part(answered, "result")?, "version": version}))
}
