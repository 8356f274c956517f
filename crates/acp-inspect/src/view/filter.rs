//! The choice of messages.

use std::io;

use crate::store::entry::{Entry, Marks};
use crate::store::{State, Store};

/// The choice of messages: all conditions that are given must hold.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    /// The beginning of the method, or a pattern with `*`.
    pub(crate) method: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) kind: Option<String>,
    /// A side that sends or gets it.
    pub(crate) lane: Option<String>,
    pub(crate) errors: bool,
    /// A part of the line, in any case.
    pub(crate) text: Option<String>,
}

impl Filter {
    /// Returns true if the index alone lets a message through.
    pub(super) fn takes(&self, state: &State, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, name: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| name == Some(wanted))
        };
        let (from, to) = state.ends(entry);
        let method = state.methods.name(entry.method).unwrap_or_default();
        is(&self.session, state.sessions.name(entry.session))
            && is(&self.kind, Some(entry.kind.name()))
            && self.lane.as_deref().is_none_or(|lane| lane == from || lane == to)
            && (!self.errors || entry.marks.has(Marks::ERROR) || !entry.marks.has(Marks::JSON))
            && self.method.as_deref().is_none_or(|wanted| is_like(method, wanted))
    }

    /// Returns true if the text of a message lets it through.
    pub(super) fn finds(&self, store: &Store, entry: &Entry) -> io::Result<bool> {
        let Some(text) = &self.text else { return Ok(true) };
        let line = store.line(entry, usize::MAX)?;
        Ok(String::from_utf8_lossy(&line).to_lowercase().contains(&text.to_lowercase()))
    }
}

/// Returns true if a name begins like the pattern, or, if that has `*`, is like it.
fn is_like(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return true;
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    true
}
