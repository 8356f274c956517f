//! The output of a terminal, as bytes.

use std::borrow::Cow;

/// The most bytes that are kept of one terminal, the newest.
pub(super) const KEPT: usize = 1024 * 1024;

/// The newest bytes that a command has printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Output {
    bytes: Vec<u8>,
    /// The bytes before this one are dropped. They are removed when there are many.
    start: usize,
    dropped: u64,
}

impl Output {
    pub(super) fn new(bytes: Vec<u8>, dropped: u64) -> Self {
        let mut output = Self { bytes, start: 0, dropped };
        output.shorten();
        output
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.shorten();
    }

    fn shorten(&mut self) {
        let excess = self.as_bytes().len().saturating_sub(KEPT);
        self.start += excess;
        self.dropped = self.dropped.saturating_add(excess as u64);
        if self.start >= KEPT {
            self.bytes.drain(..self.start);
            self.bytes.shrink_to(2 * KEPT);
            self.start = 0;
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    pub(super) const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the text. A character that is cut off at the beginning is left out, and so is one
    /// whose rest may still come.
    pub(super) fn text(&self) -> Cow<'_, str> {
        let mut bytes = self.as_bytes();
        if self.dropped > 0 {
            let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
            bytes = bytes.get(cut..).unwrap_or_default();
        }
        let last = bytes.utf8_chunks().last().map_or(&[][..], |last| last.invalid());
        let is_begun = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
        let whole = bytes.len() - if is_begun { last.len() } else { 0 };
        String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default())
    }
}

impl PartialEq for Output {
    fn eq(&self, other: &Self) -> bool {
        self.dropped == other.dropped && self.as_bytes() == other.as_bytes()
    }
}
