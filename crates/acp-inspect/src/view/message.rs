//! One message in full.

use std::io;

use serde_json::{Value, json};

use super::PARSED;
use super::findings::findings;
use super::row::row;
use crate::store::Store;
use crate::store::entry::{Entry, Kind};
use crate::store::rules::Broken;

/// The most bytes of a line that are shown.
const SHOWN: usize = 256 * 1024;

/// Returns a message with its text and what the types of the protocol say of it.
pub(crate) fn message(store: &Store, seq: u64) -> io::Result<Option<Value>> {
    let Some(entry) = store.lock().entry(seq).copied() else { return Ok(None) };
    let shown = store.line(&entry, SHOWN)?;
    let is_cut = shown.len() < entry.length as usize;
    let whole = if entry.length as usize <= PARSED { store.line(&entry, PARSED)? } else { Vec::new() };
    let (version, method, is_of_client) = {
        let state = store.lock();
        (
            state.version,
            state.methods.name(entry.method).map(str::to_owned),
            state.is_of_client(&entry) && state.is_in_front(&entry),
        )
    };
    let node = acp_json::parse_slice(&whole).ok();
    let call = method.as_deref().filter(|_| is_of_client).and_then(|method| call(&entry, method, &whole));
    let found = node.zip(method).map(|(node, method)| findings(version, &method, node)).unwrap_or_default();
    Ok(Some(json!({
        "row": row(store, seq, &entry)?,
        "text": String::from_utf8_lossy(&shown),
        "cut": is_cut,
        "length": entry.length,
        "findings": found,
        "rules": store.breaches(seq)?.iter().map(rule).collect::<Vec<_>>(),
        "call": call,
    })))
}

/// Returns a rule that a message breaks, as the page shows it.
fn rule(broken: &Broken) -> Value {
    let Broken { rule, reason, messages } = broken;
    json!({"id": rule.id, "strength": rule.strength.to_string(), "rule": rule.text, "says": reason, "messages": messages})
}

/// Returns the whole line of a message.
pub(crate) fn raw(store: &Store, seq: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(entry) = store.lock().entry(seq).copied() else { return Ok(None) };
    store.line(&entry, usize::MAX).map(Some)
}

/// Returns the command that sends a request again, for a POSIX shell.
fn call(entry: &Entry, method: &str, line: &[u8]) -> Option<String> {
    if !matches!(entry.kind, Kind::Request | Kind::Notification) || method == "initialize" {
        return None;
    }
    let value: Value = serde_json::from_slice(line).ok()?;
    let params = value.get("params").map(|params| quoted(&params.to_string())).unwrap_or_default();
    Some(format!("acp call {} {params}", quoted(method)).trim_end().to_owned())
}

/// Quotes a word for a POSIX shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
