//! The sessions of a connection.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::store::Store;
use crate::store::entry::Kind;

/// Returns each session with its first and last message and its number of prompts.
pub(crate) fn sessions(store: &Store) -> Value {
    let state = store.lock();
    let mut sessions: BTreeMap<u16, (u64, u64, u64)> = BTreeMap::new();
    for (seq, entry) in (1_u64..).zip(&state.entries) {
        if entry.session == 0 || !state.is_in_front(entry) {
            continue;
        }
        let (first, last, turns) = sessions.entry(entry.session).or_insert((seq, seq, 0));
        (*first, *last) = ((*first).min(seq), seq);
        let is_prompt =
            entry.kind == Kind::Request && state.methods.name(entry.method) == Some("session/prompt");
        *turns += u64::from(is_prompt);
    }
    let mut listed: Vec<_> = sessions.into_iter().collect();
    listed.sort_unstable_by_key(|(_, (first, _, _))| *first);
    let listed = listed.into_iter().map(|(session, (first, last, turns))| {
        json!({"id": state.sessions.name(session), "title": null, "turns": turns, "first": first, "last": last})
    });
    Value::Array(listed.collect())
}
