//! A session as people read it.

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::{Value, json};

use super::PARSED;
use super::item::{Said, idle, said};
use super::tool;
use super::turns::Turns;
use crate::store::Store;
use crate::store::entry::Entry;

/// The most items of a page.
const MOST: usize = 200;
/// The most messages of tool calls that are read before and behind a page.
const LOOK: usize = 10_000;
/// The longest text of an item, in bytes. More is left out.
const LONGEST: usize = 64 * 1024;

/// Returns the items of a session behind a message. Neighbouring chunks of one speaker are one item,
/// and so are all words of a message with an id and all updates of a tool call, in the place of the
/// first. `next` is the message that the
/// next page begins behind.
pub(crate) fn transcript(store: &Store, session: &str, after: u64, limit: usize) -> io::Result<Value> {
    let limit = limit.clamp(1, MOST);
    let mut page = Page::new(store, session, after);
    let (mut more, mut seq) = (false, after);
    while let Some((at, entry, method)) = next(store, session, seq) {
        let said = match page.read(&entry)? {
            Some(value) => said(store, at, &entry, &method, &value)?,
            None => None,
        };
        if let Some(said) = said
            && let Some(placed) = page.take(&entry, said)?
        {
            if page.items.len() == limit {
                more = true;
                break;
            }
            page.push(placed);
        }
        seq = at;
    }
    if more {
        page.complete(seq)?;
    }
    Ok(json!({"items": page.items, "more": more, "next": seq}))
}

/// The items of a page, while they are collected.
struct Page<'s> {
    store: &'s Store,
    session: &'s str,
    after: u64,
    items: Vec<Value>,
    /// The places of tool calls in the items, by their ids.
    tools: HashMap<String, usize>,
    /// The ids of tool calls before the page, once they are needed.
    earlier: Option<HashSet<String>>,
    /// The places of messages with ids in the items, by speaker and id.
    messages: HashMap<(String, String), usize>,
    /// The turns so far, once they are needed.
    turns: Option<Turns>,
}

/// An item for a place of its own, and the id of its message.
struct Placed {
    item: Value,
    id: Option<String>,
}

impl From<Value> for Placed {
    fn from(item: Value) -> Self {
        Self { item, id: None }
    }
}

impl<'s> Page<'s> {
    fn new(store: &'s Store, session: &'s str, after: u64) -> Self {
        Self {
            store,
            session,
            after,
            items: Vec::new(),
            tools: HashMap::new(),
            earlier: None,
            messages: HashMap::new(),
            turns: None,
        }
    }

    /// Reads a message, unless it is too long to be shown.
    fn read(&self, entry: &Entry) -> io::Result<Option<Value>> {
        if entry.length as usize > PARSED {
            return Ok(None);
        }
        let line = self.store.line(entry, PARSED)?;
        Ok(serde_json::from_slice(&line).ok())
    }

    /// Takes in what was said. Returns the item if it needs a place of its own.
    fn take(&mut self, entry: &Entry, said: Said) -> io::Result<Option<Placed>> {
        match said {
            Said::Item(item) => Ok(Some(item.into())),
            Said::Prompt(item) => {
                let store = self.store;
                self.turns()?.prompted(store, entry)?;
                Ok(Some(item.into()))
            }
            Said::Words { item, id, is_whole } => self.words(item, id, is_whole),
            Said::State { seq, update } => Ok(self.turns()?.ends(&update).then(|| idle(seq, &update).into())),
            Said::Tool { seq, update } => {
                if self.merge(&update) {
                    return Ok(None);
                }
                let is_begin = tool::is_begin(&update);
                if !is_begin && self.is_earlier(tool::id(&update))? {
                    return Ok(None);
                }
                Ok(Some(tool::item(seq, &update).into()))
            }
        }
    }

    /// Adds words to the message that they are of.
    fn words(&mut self, item: Value, id: Option<String>, is_whole: bool) -> io::Result<Option<Placed>> {
        let kind = item.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(id) = id else {
            let at = self.items.len().checked_sub(1);
            let has_id = self.messages.values().any(|place| Some(*place) == at);
            let last = self.items.last_mut().filter(|_| !has_id);
            let is_joined = last.is_some_and(|last| joins(last, &item));
            return Ok((!is_joined).then(|| item.into()));
        };
        if kind == "user" && self.turns()?.is_prompt(&id) {
            return Ok(None);
        }
        let known = self.messages.get(&(kind, id.clone())).and_then(|at| self.items.get_mut(*at));
        match (known, item.get("text")) {
            (_, None | Some(Value::Null)) => return Ok(None),
            (Some(known), Some(text)) if is_whole => {
                if let Some(slot) = known.get_mut("text") {
                    *slot = text.clone();
                }
            }
            (Some(known), _) => {
                joins(known, &item);
            }
            (None, _) => return Ok(Some(Placed { item, id: Some(id) })),
        }
        Ok(None)
    }

    fn push(&mut self, placed: Placed) {
        let Placed { item, id } = placed;
        if let Some(id) = item.pointer("/tool/id").and_then(Value::as_str) {
            self.tools.insert(id.to_owned(), self.items.len());
        }
        if let Some(id) = id {
            let kind = item.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
            self.messages.insert((kind, id), self.items.len());
        }
        self.items.push(item);
    }

    /// Returns the turns up to the message that is read.
    fn turns(&mut self) -> io::Result<&mut Turns> {
        if self.turns.is_none() {
            self.turns = Some(Turns::before(self.store, self.session, self.after)?);
        }
        Ok(self.turns.get_or_insert_default())
    }

    /// Adds an update to its tool call. Returns false if that is not on this page.
    fn merge(&mut self, update: &Value) -> bool {
        let Some(at) = self.tools.get(tool::id(update)) else { return false };
        let Some(item) = self.items.get_mut(*at) else { return false };
        tool::merge(item, update);
        true
    }

    /// Returns true if a tool call has begun on a page before this one.
    fn is_earlier(&mut self, id: &str) -> io::Result<bool> {
        if self.earlier.is_none() {
            let mut ids = HashSet::new();
            for entry in self.tool_messages((1..=self.after).rev()) {
                let value = self.read(&entry)?;
                let update = value.as_ref().and_then(|value| value.pointer("/params/update"));
                ids.extend(update.map(|update| tool::id(update).to_owned()));
            }
            self.earlier = Some(ids);
        }
        Ok(self.earlier.as_ref().is_some_and(|ids| ids.contains(id)))
    }

    /// Adds the updates behind a page to its tool calls.
    fn complete(&mut self, last: u64) -> io::Result<()> {
        if self.tools.is_empty() {
            return Ok(());
        }
        let messages = self.store.seen().messages;
        for entry in self.tool_messages(last + 1..=messages) {
            if let Some(value) = self.read(&entry)?
                && let Some(update) = value.pointer("/params/update")
            {
                self.merge(update);
            }
        }
        Ok(())
    }

    /// Returns the messages of this session about tool calls, at most [`LOOK`] of them.
    fn tool_messages(&self, seqs: impl Iterator<Item = u64>) -> Vec<Entry> {
        let state = self.store.lock();
        let entries = seqs.filter_map(|seq| state.entry(seq));
        let of_tools = entries.filter(|entry| {
            state.sessions.name(entry.session) == Some(self.session)
                && state.is_in_front(entry)
                && state.updates.name(entry.update).is_some_and(|name| name.starts_with("tool_call"))
        });
        of_tools.take(LOOK).copied().collect()
    }
}

/// Returns the next message of a session, with its method.
fn next(store: &Store, session: &str, after: u64) -> Option<(u64, Entry, String)> {
    let state = store.lock();
    let mut seq = after.checked_add(1)?;
    loop {
        let entry = state.entry(seq)?;
        if state.sessions.name(entry.session) == Some(session) && state.is_in_front(entry) {
            return Some((seq, *entry, state.methods.name(entry.method).unwrap_or_default().to_owned()));
        }
        seq += 1;
    }
}

/// Adds a chunk to the item before it. Returns false if they are not of one speaker.
fn joins(last: &mut Value, item: &Value) -> bool {
    let is_text = matches!(item.get("kind").and_then(Value::as_str), Some("user" | "agent" | "thought"));
    if !is_text || last.get("kind") != item.get("kind") {
        return false;
    }
    let (Some(Value::String(whole)), Some(more)) =
        (last.get_mut("text"), item.get("text").and_then(Value::as_str))
    else {
        return false;
    };
    if whole.len() < LONGEST {
        whole.push_str(more);
    }
    true
}
