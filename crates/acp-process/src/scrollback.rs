//! The newest part of a command's output.

use std::collections::VecDeque;

/// Replaces bytes that are not text.
const REPLACEMENT: &str = "\u{FFFD}";

/// Output as text of a limited length. The excess is dropped at the front, in whole characters.
///
/// ```
/// use acp_process::Scrollback;
///
/// let mut scrollback = Scrollback::new(6);
/// scrollback.push(b"one, gr\xC3");
/// scrollback.push(b"\xB6\xC3\x9Fer");
/// assert_eq!(scrollback.text(), "ößer");
/// assert!(scrollback.is_truncated());
/// ```
#[derive(Debug)]
pub struct Scrollback {
    /// Always whole characters.
    text: VecDeque<u8>,
    limit: usize,
    truncated: bool,
    /// The beginning of a character whose end has not come yet.
    incomplete: Vec<u8>,
}

impl Scrollback {
    /// Creates one that keeps at most this many bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { text: VecDeque::new(), limit, truncated: false, incomplete: Vec::new() }
    }

    /// Adds output. A character may come in pieces. Bytes that are not text become U+FFFD.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.incomplete.is_empty() {
            return self.decode(bytes);
        }
        let mut joined = std::mem::take(&mut self.incomplete);
        joined.extend_from_slice(bytes);
        self.decode(&joined);
    }

    /// Ends the output. Half a character at its end becomes U+FFFD.
    pub fn end(&mut self) {
        if !std::mem::take(&mut self.incomplete).is_empty() {
            self.keep(REPLACEMENT);
        }
    }

    /// Returns the text, without half a character at its end.
    #[must_use]
    pub fn text(&self) -> String {
        self.tail(usize::MAX).0
    }

    /// Returns the end of the text: its last whole characters, with at most this many bytes. Only
    /// these are copied. Returns true with them if there was more before them.
    #[must_use]
    pub fn tail(&self, most: usize) -> (String, bool) {
        let excess = self.text.len().saturating_sub(most);
        let start = excess + self.text.range(excess..).take_while(|byte| is_inside(**byte)).count();
        let (front, back) = self.text.as_slices();
        let in_back = start.saturating_sub(front.len());
        // A character may lie across the two slices.
        let text = [front.get(start..), back.get(in_back..)].map(Option::unwrap_or_default).concat();
        let text = String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        (text, self.truncated || start > 0)
    }

    /// Returns true if nothing was printed: nothing is kept, and nothing was dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.truncated
    }

    /// Returns true if text was dropped.
    #[must_use]
    pub const fn is_truncated(&self) -> bool {
        self.truncated
    }

    fn decode(&mut self, mut bytes: &[u8]) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.keep(text),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or((&[], bytes));
            self.keep(std::str::from_utf8(valid).unwrap_or_default());
            let Some(invalid) = error.error_len() else {
                self.incomplete = rest.to_vec();
                return;
            };
            self.keep(REPLACEMENT);
            bytes = rest.get(invalid..).unwrap_or_default();
        }
    }

    fn keep(&mut self, text: &str) {
        let excess = (self.text.len() + text.len()).saturating_sub(self.limit);
        self.truncated |= excess > 0;
        let from_new = excess.saturating_sub(self.text.len());
        self.text.drain(..excess.min(self.text.len()));
        // Up to the next whole character, which may be in the kept or in the new text.
        while self.text.front().is_some_and(|byte| is_inside(*byte)) {
            self.text.pop_front();
        }
        let start = (from_new..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let text = text.get(start..).unwrap_or_default();
        self.reserve(text.len());
        self.text.extend(text.as_bytes());
    }

    /// Reserves space for more bytes. It grows by doubling, but not beyond the limit.
    fn reserve(&mut self, more: usize) {
        let needed = self.text.len() + more;
        if needed > self.text.capacity() {
            let capacity = needed.max(self.text.capacity().saturating_mul(2)).min(self.limit);
            self.text.reserve_exact(capacity.saturating_sub(self.text.len()));
        }
    }
}

/// Returns true for a byte within a character, but not for its first.
const fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::Scrollback;

    fn kept(limit: usize, pieces: &[&[u8]]) -> (String, bool) {
        let mut scrollback = Scrollback::new(limit);
        pieces.iter().for_each(|piece| scrollback.push(piece));
        scrollback.end();
        (scrollback.text(), scrollback.is_truncated())
    }

    #[test]
    fn the_oldest_characters_are_dropped_whole() {
        for (limit, text, expected, truncated) in [
            (5, "hello", "hello", false),
            (4, "hello", "ello", true),
            (0, "", "", false),
            (0, "x", "", true),
            // ä has two bytes, 文 three, 🦀 four.
            (3, "äö", "ö", true),
            (4, "äö", "äö", false),
            (1, "ä", "", true),
            (5, "文文", "文", true),
            (6, "a文文", "文文", true),
            (4, "a🦀", "🦀", true),
            (3, "a🦀", "", true),
            (5, "🦀x", "🦀x", false),
            (4, "🦀x", "x", true),
        ] {
            for size in 1..=text.len().max(1) {
                let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
                assert_eq!(
                    kept(limit, &pieces),
                    (expected.to_owned(), truncated),
                    "{text} in {size}s, {limit}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_text_is_replaced_however_it_comes() {
        for (bytes, expected) in [
            (&b"a\xFFb"[..], "a\u{FFFD}b"),
            (b"\xC3", "\u{FFFD}"),
            (b"\xF0\x9F\xA6", "\u{FFFD}"),
            (b"\xF0\x9Fx", "\u{FFFD}x"),
            (b"\xC0\x80", "\u{FFFD}\u{FFFD}"),
            (b"\xED\xA0\x80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (b"\xE6\x96\x87\x80", "\u{6587}\u{FFFD}"),
            (b"\xF0\x9F\xF0\x9F\xA6\x80", "\u{FFFD}\u{1F980}"),
        ] {
            assert_eq!(String::from_utf8_lossy(bytes), expected, "the rule of the standard library");
            for size in 1..=bytes.len() {
                let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
                assert_eq!(kept(100, &pieces), (expected.to_owned(), false), "{bytes:?} in {size}s");
            }
        }
    }

    #[test]
    fn the_first_half_of_a_character_is_not_shown() {
        let mut scrollback = Scrollback::new(10);
        scrollback.push(b"x\xE6\x96");
        assert_eq!(scrollback.text(), "x");
        scrollback.push(b"\x87");
        assert_eq!(scrollback.text(), "x文");
    }

    #[test]
    fn the_tail_is_whole_characters_wherever_the_ring_begins() {
        // Three bytes are dropped each round, so the text begins at every place of the ring.
        let mut scrollback = Scrollback::new(9);
        let mut all = String::new();
        for round in 0..20 {
            let text = scrollback.text();
            assert!(all.ends_with(&text) && text.len() == all.len().min(9), "{text}");
            for most in 0..=10 {
                let (tail, is_cut) = scrollback.tail(most);
                assert!(text.ends_with(&tail) && tail.len() <= most);
                assert!(tail.len() + 2 >= most.min(text.len()), "no more than needed is left out: {tail}");
                assert_eq!(is_cut, tail.len() < all.len(), "{tail} of {all}");
            }
            scrollback.push("文".as_bytes());
            all.push('文');
            assert_eq!(scrollback.is_truncated(), round >= 3);
        }
        assert_eq!(Scrollback::new(5).tail(5), (String::new(), false));
    }

    #[test]
    fn a_flood_takes_no_more_room_than_the_limit() {
        let mut scrollback = Scrollback::new(10_000);
        for round in 0..1_000_usize {
            scrollback.push("größer".repeat(round % 700).as_bytes());
            assert!(scrollback.text.len() <= 10_000 && scrollback.text.capacity() <= 10_000);
            scrollback.push(b"\xFF\xC3");
            assert!(scrollback.incomplete.len() <= 3);
        }
        assert!(scrollback.is_truncated());
        assert!(scrollback.text().starts_with(|_| true) && scrollback.text().len() > 9_990);
    }
}
