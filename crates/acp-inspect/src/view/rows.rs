//! Pages of rows.

use std::io;

use serde_json::{Value, json};

use super::PARSED;
use super::about::{self, about};
use super::filter::Filter;
use super::row::row;
use crate::store::Store;
use crate::store::entry::Entry;

/// The most rows of a page.
const MOST: usize = 500;
/// The most chunks of a stream that are read for its row.
const CHUNKS: usize = 40;
/// The entries that are looked at under one lock.
const STEP: usize = 4096;

/// A place in the list of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Page {
    After(u64),
    Before(u64),
}

/// A row, or a run of them.
struct Found {
    seq: u64,
    entry: Entry,
    last: u64,
    count: u64,
}

impl Found {
    /// Adds a neighbour to a run of chunks. Returns false if it is no neighbour.
    fn joins(&mut self, seq: u64, entry: &Entry, is_forward: bool) -> bool {
        let is_neighbour = if is_forward { self.last + 1 == seq } else { seq + 1 == self.seq };
        let is_same = self.entry.update != 0
            && (self.entry.update, self.entry.session, self.entry.method, self.entry.marks.link())
                == (entry.update, entry.session, entry.method, entry.marks.link());
        if !is_neighbour || !is_same {
            return false;
        }
        self.count += 1;
        if is_forward {
            self.last = seq;
        } else {
            (self.seq, self.entry) = (seq, *entry);
        }
        true
    }
}

/// Returns a page of rows, in the order of the messages. With `fold`, neighbouring chunks of one
/// session are one row.
pub(crate) fn rows(
    store: &Store,
    page: Page,
    limit: usize,
    filter: &Filter,
    fold: bool,
) -> io::Result<Value> {
    let limit = limit.clamp(1, MOST);
    let (mut found, mut more): (Vec<Found>, bool) = (Vec::new(), false);
    let is_forward = matches!(page, Page::After(_));
    let mut at = match page {
        Page::After(seq) => seq.saturating_add(1),
        Page::Before(seq) => seq.min(store.seen().messages + 1).saturating_sub(1),
    };
    'all: loop {
        let step = candidates(store, at, is_forward, filter);
        for (seq, entry) in step.taken {
            if !filter.finds(store, &entry)? {
                continue;
            }
            let is_chunk = fold && is_chunk(store, &entry);
            if is_chunk && found.last_mut().is_some_and(|last| last.joins(seq, &entry, is_forward)) {
                continue;
            }
            if found.len() == limit {
                more = true;
                break 'all;
            }
            found.push(Found { seq, entry, last: seq, count: 1 });
        }
        match step.next {
            Some(next) => at = next,
            None => break,
        }
    }
    if !is_forward {
        found.reverse();
    }
    let rows: io::Result<Vec<Value>> = found.iter().map(|found| shown(store, found)).collect();
    Ok(json!({"rows": rows?, "more": more, "messages": store.seen().messages}))
}

fn shown(store: &Store, found: &Found) -> io::Result<Value> {
    let mut row = row(store, found.seq, &found.entry)?;
    if found.count > 1
        && let Some(cluster) = row.get_mut("cluster")
    {
        *cluster = json!({"first": found.seq, "last": found.last, "count": found.count});
        if let Some(about) = row.get_mut("about") {
            *about = json!(stream(store, found)?);
        }
    }
    Ok(row)
}

/// Returns the beginning of the words of a stream.
fn stream(store: &Store, found: &Found) -> io::Result<String> {
    let mut words = String::new();
    for seq in (found.seq..=found.last).take(CHUNKS) {
        let Some(entry) = store.lock().entry(seq).copied().filter(|entry| entry.length as usize <= PARSED)
        else {
            break;
        };
        let line = store.line(&entry, PARSED)?;
        words.extend(acp_json::parse_slice(&line).ok().as_ref().and_then(about));
        if words.len() >= about::MOST {
            break;
        }
    }
    Ok(words)
}

/// Some messages that the index lets through, and the place to go on.
struct Step {
    taken: Vec<(u64, Entry)>,
    next: Option<u64>,
}

fn candidates(store: &Store, at: u64, is_forward: bool, filter: &Filter) -> Step {
    let state = store.lock();
    let mut taken = Vec::new();
    let mut seq = at;
    for _ in 0..STEP {
        let Some(entry) = state.entry(seq) else { return Step { taken, next: None } };
        if filter.takes(&state, entry) {
            taken.push((seq, *entry));
        }
        // Number 0 has no entry.
        seq = if is_forward { seq.saturating_add(1) } else { seq - 1 };
    }
    Step { taken, next: Some(seq) }
}

fn is_chunk(store: &Store, entry: &Entry) -> bool {
    store.lock().updates.name(entry.update).is_some_and(|update| update.ends_with("_chunk"))
}
