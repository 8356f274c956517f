//! The lines of a connection, as they were on the wire.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// The way of a line, seen from the scripted peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// The scripted peer has written it.
    Sent,
    /// The other side has written it.
    Received,
}

/// A line of the wire, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Who has written it.
    pub way: Way,
    /// Its bytes, without the `\n`.
    pub bytes: Vec<u8>,
    /// True if a `\n` has ended it. Only the last line of a connection can lack it.
    pub ended: bool,
}

impl Line {
    pub(crate) fn new(way: Way, bytes: Vec<u8>, ended: bool) -> Self {
        Self { way, bytes, ended }
    }

    /// Returns its text. Bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns its JSON, or `None` if it is not JSON.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

impl fmt::Display for Line {
    /// Writes `→` for a line of the scripted peer and `←` for one of the other side, and cuts a
    /// long line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.way == Way::Sent { '→' } else { '←' };
        write!(f, "{arrow} {}", cut(&self.text()))?;
        if self.ended { Ok(()) } else { f.write_str(" (no line end)") }
    }
}

/// The most characters of a line that are shown.
const SHOWN: usize = 600;

/// Cuts a text for people.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        None => Cow::Borrowed(text),
        Some((at, _)) => {
            Cow::Owned(format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()))
        }
    }
}
