//! The query of an address.

use crate::view::{Filter, Page};

/// The values of a query, decoded.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn read(text: Option<&str>) -> Self {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Self(pairs.map(|(name, value)| (decoded(name), decoded(value))).collect())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.text(name) == Some("1")
    }

    /// Returns the most items of a page.
    pub(super) fn limit(&self) -> usize {
        self.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
    }

    /// Returns the number of parts of an overview.
    pub(super) fn parts(&self) -> usize {
        self.number("buckets").and_then(|parts| usize::try_from(parts).ok()).unwrap_or(200)
    }

    pub(super) fn page(&self) -> Page {
        match self.number("before") {
            Some(seq) => Page::Before(seq),
            None => Page::After(self.number("after").unwrap_or_default()),
        }
    }

    pub(super) fn filter(&self) -> Filter {
        let owned = |name| self.text(name).map(str::to_owned);
        Filter {
            method: owned("method"),
            session: owned("session"),
            kind: owned("kind"),
            lane: owned("lane"),
            errors: self.is_set("errors"),
            text: owned("text"),
        }
    }
}

/// Decodes a part of an address. A `%` without two digits stays.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = behind.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
