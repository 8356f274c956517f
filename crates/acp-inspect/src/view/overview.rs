//! The whole connection in a few numbers, over time.

use serde_json::{Value, json};

use crate::store::Store;
use crate::store::entry::Marks;

/// The most parts of an overview.
const MOST: usize = 1000;

#[derive(Clone, Default)]
struct Part {
    count: u64,
    errors: u64,
}

/// Cuts the time of the connection into parts of one length, and counts the messages and errors of
/// each. `first` is the first message in a part or after it.
pub(crate) fn overview(store: &Store, parts: usize) -> Value {
    let parts = parts.clamp(1, MOST);
    let state = store.lock();
    let last = state.entries.iter().map(|entry| entry.micros).max().unwrap_or_default();
    let length = last / parts as u64 + 1;
    let place = |micros: u64| usize::try_from(micros / length).unwrap_or(usize::MAX).min(parts - 1);
    let mut counted = vec![Part::default(); parts];
    let mut firsts: Vec<Option<u64>> = vec![None; parts];
    for (seq, entry) in (1_u64..).zip(&state.entries) {
        let at = place(entry.micros);
        let (Some(part), Some(first)) = (counted.get_mut(at), firsts.get_mut(at)) else { continue };
        part.count += 1;
        part.errors += u64::from(entry.marks.has(Marks::ERROR) || !entry.marks.has(Marks::JSON));
        first.get_or_insert(seq);
    }
    let mut next = state.entries.len() as u64;
    let mut buckets: Vec<Value> = Vec::with_capacity(parts);
    for (part, first) in counted.iter().zip(&firsts).rev() {
        next = first.unwrap_or(next);
        buckets.push(json!({"first": next, "count": part.count, "errors": part.errors}));
    }
    buckets.reverse();
    if state.entries.is_empty() {
        buckets.clear();
    }
    json!({"micros": last, "buckets": buckets})
}
