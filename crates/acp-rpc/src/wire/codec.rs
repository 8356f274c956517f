//! Newline framing: bytes in, lines out.

use memchr::memchr;

pub use super::head::Head;
use super::head::Heading;

/// The least room that a read is offered.
const MIN_READ: usize = 8 * 1024;
/// The largest buffer that is kept while idle.
const IDLE_CAPACITY: usize = 256 * 1024;
/// The largest buffer that is kept for the next long line.
pub(crate) const BUSY_CAPACITY: usize = 4 * 1024 * 1024;
/// The size from which a buffer grows by less.
const LONG_LINE: usize = 1024 * 1024;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Cuts a byte stream into lines, in one reusable buffer.
///
/// It accepts `\r\n`, blank lines, a byte order mark before a line, and a last line without a
/// newline. A line beyond the limit is skipped without being buffered.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// The start of the current line.
    start: usize,
    /// The start of the line before it.
    last: usize,
    /// The end of the part of the current line that is known to hold no newline.
    scanned: usize,
    max_line: usize,
    skipped: Option<Skipped>,
}

/// A line that is too long, on its way past.
#[derive(Debug, Default)]
struct Skipped {
    heading: Heading,
    length: u64,
}

/// One line, without its newline.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A whole line; never blank.
    Whole(&'a [u8]),
    /// A line beyond the limit.
    Oversized {
        /// Members that were found in it as it went by.
        head: Head,
        /// Its length in bytes.
        length: u64,
    },
}

impl Framer {
    /// Creates a framer for lines of up to `max_line` bytes.
    #[must_use]
    pub fn new(max_line: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, last: 0, scanned: 0, max_line, skipped: None }
    }

    /// Returns the buffer to append input to. It has spare capacity.
    pub fn space(&mut self) -> &mut Vec<u8> {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            self.scanned = 0;
        }
        let rest = self.buffer.len() - self.start;
        if self.buffer.capacity() > BUSY_CAPACITY && rest <= IDLE_CAPACITY / 4 {
            // A very long line has gone. The start of the next one must not keep its room.
            self.give_back();
        }
        if self.buffer.capacity() - self.buffer.len() < MIN_READ / 2 {
            self.move_to_front();
            // Doubling, and half as much again for long lines, but never beyond what the longest
            // needs.
            let length = self.buffer.len();
            let longest = self.max_line.saturating_add(MIN_READ);
            let step = if length < LONG_LINE { length } else { length / 2 };
            let growth = step.min(longest.saturating_sub(length));
            self.buffer.reserve_exact(growth.max(MIN_READ));
        }
        &mut self.buffer
    }

    /// Tells whether a long line is being read.
    pub(crate) const fn is_busy(&self) -> bool {
        self.buffer.len() > IDLE_CAPACITY
    }

    /// Gives room back that was needed for long lines.
    pub fn give_back(&mut self) {
        self.move_to_front();
        self.buffer.shrink_to(IDLE_CAPACITY / 2);
    }

    fn move_to_front(&mut self) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        (self.start, self.last) = (0, 0);
    }

    /// Returns the next line, if the buffer holds a whole one.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
            let Some(length) = memchr(b'\n', unseen) else {
                self.scanned = self.buffer.len();
                self.skip_if_too_long();
                return None;
            };
            let (start, end) = (self.start, self.scanned + length);
            self.last = start;
            self.start = end + 1;
            self.scanned = self.start;
            if self.skipped.is_some() || end - start > self.max_line {
                return self.oversized(start, end);
            }
            if !trim(self.buffer.get(start..end).unwrap_or_default()).is_empty() {
                // Looked up again because a borrow from the last turn of a loop would last for all
                // of them.
                return self.buffer.get(start..end).map(|line| Line::Whole(trim(line)));
            }
        }
    }

    /// Hands back the line that was given last, so that it is the next line again. It must have
    /// been a whole one.
    pub fn hand_back(&mut self) {
        self.start = self.last;
        self.scanned = self.last;
    }

    /// Ends the stream. Returns the last line if it lacks its newline.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.end();
        self.next_line()
    }

    /// Ends the stream: the last line is whole, too.
    pub(crate) fn end(&mut self) {
        if self.skipped.is_some() || self.start < self.buffer.len() {
            self.buffer.push(b'\n');
        }
    }

    /// Returns the number of bytes that belong to lines that were not given.
    pub(crate) const fn rest(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Drops a line that grew beyond the limit before its end was seen.
    fn skip_if_too_long(&mut self) {
        let line = self.buffer.get(self.start..).unwrap_or_default();
        if self.skipped.is_none() && line.len() <= self.max_line {
            return;
        }
        self.skipped.get_or_insert_default().push(line);
        self.buffer.clear();
        self.start = 0;
        self.scanned = 0;
    }

    fn oversized(&mut self, start: usize, end: usize) -> Option<Line<'_>> {
        let rest = self.buffer.get(start..end)?;
        let mut skipped = self.skipped.take().unwrap_or_default();
        skipped.push(rest);
        Some(Line::Oversized { head: skipped.heading.head(), length: skipped.length })
    }
}

impl Skipped {
    fn push(&mut self, bytes: &[u8]) {
        self.heading.push(bytes);
        self.length += bytes.len() as u64;
    }
}

fn trim(line: &[u8]) -> &[u8] {
    line.strip_prefix(BOM).unwrap_or(line).trim_ascii()
}
