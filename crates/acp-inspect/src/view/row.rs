//! A message as a row of the timeline.

use acp_json::Node;
use serde_json::{Value, json};

use super::PARSED;
use super::about::about;
use super::findings::findings;
use crate::store::Store;
use crate::store::entry::{Entry, Marks};

/// Returns the row of a message. The id and the marks are those of lines of at most 1 MiB.
pub(super) fn row(store: &Store, seq: u64, entry: &Entry) -> std::io::Result<Value> {
    let line = if entry.length as usize <= PARSED { store.line(entry, PARSED)? } else { Vec::new() };
    let node = acp_json::parse_slice(&line).ok();
    let about = node.as_ref().and_then(about);
    let id = node.as_ref().and_then(|node| node.get("id")).map(id_text);
    let state = store.lock();
    let (from, to) = state.ends(entry);
    let version = state.version;
    let pair = state.entry(u64::from(entry.pair)).copied();
    let is_answer = pair.is_some_and(|_| u64::from(entry.pair) < seq);
    let latency = pair.filter(|_| is_answer).map(|asked| entry.micros.saturating_sub(asked.micros));
    let mut row = json!({
        "seq": seq,
        "micros": entry.micros,
        "from": from,
        "to": to,
        "kind": entry.kind.name(),
        "method": state.methods.name(entry.method),
        "id": id,
        "session": state.sessions.name(entry.session),
        "bytes": entry.length,
        "latency": latency,
        "pair": pair.map(|_| entry.pair),
        "error": entry.marks.has(Marks::ERROR),
        "update": state.updates.name(entry.update),
        "about": about,
        "marks": [],
        "cluster": null,
    });
    let method = state.methods.name(entry.method).map(str::to_owned);
    drop(state);
    let fits = node.zip(method).is_none_or(|(node, method)| findings(version, &method, node).is_empty());
    let mut found = if fits { Vec::new() } else { vec!["schema".to_owned()] };
    found.extend(store.breaches(seq)?.iter().map(|breach| breach.rule.id.clone()));
    if let Some(marks) = row.get_mut("marks") {
        *marks = json!(found);
    }
    Ok(row)
}

/// Returns an id as the page shows it: text without quotes.
fn id_text(id: &Node<'_>) -> String {
    match id.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(id).unwrap_or_default(),
    }
}
