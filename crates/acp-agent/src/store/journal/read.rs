//! The reading side of a journal.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Take};
use std::ops::Range;
use std::path::PathBuf;

use super::damage::{DamageKind, Reporter};
use super::line::{Kind, LONGEST, Line};
use crate::store::block::Blocks;
use crate::store::{Record, StoreError};

/// The number of bytes of text that are read at a time, plus one record of any length. Each time
/// costs a change of threads.
const BATCH: usize = 256 * 1024;
/// The number of bytes that are read from the file at once.
const READ: usize = 64 * 1024;

/// A line: its offset in the file, its kind, its text.
pub(super) type Placed<'a> = (u64, Kind, &'a [u8]);

/// The lines of a journal. Damage is reported and skipped.
pub(super) struct Reader {
    input: BufReader<Take<File>>,
    path: PathBuf,
    reporter: Reporter,
    /// The bytes that were read, up to a line end.
    chunk: Vec<u8>,
    /// The number of bytes of the chunk that are dealt with.
    done: usize,
    /// The offset of the chunk in the file.
    offset: u64,
}

impl Reader {
    /// Reads the lines from this offset to the present end of the file.
    pub(super) fn new(
        mut file: File,
        from: u64,
        path: PathBuf,
        reporter: Reporter,
    ) -> Result<Self, StoreError> {
        let end = file.seek(SeekFrom::End(0)).map_err(|error| StoreError::io("read", &path, error))?;
        file.seek(SeekFrom::Start(from)).map_err(|error| StoreError::io("read", &path, error))?;
        let input = BufReader::with_capacity(READ, file.take(end.saturating_sub(from)));
        Ok(Reader { input, path, reporter, chunk: Vec::new(), done: 0, offset: from })
    }

    /// Returns the next few records; none at the end.
    pub(super) fn batch(&mut self) -> Result<Vec<Record>, StoreError> {
        let mut batch = Blocks::default();
        let mut bytes = 0;
        while bytes < BATCH {
            let Some((kind, json)) = self.next()? else { break };
            if let Kind::Record(kind) = kind {
                bytes += json.len();
                // The writer wrote JSON, and the checksum says that this is it.
                batch.push(kind, json);
            }
        }
        batch.into_records()
    }

    /// Returns the next undamaged line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Kind, &[u8])>, StoreError> {
        Ok(self.next_at()?.map(|(_, kind, json)| (kind, json)))
    }

    /// Returns the next undamaged line with its offset in the file; `None` at the end.
    pub(super) fn next_at(&mut self) -> Result<Option<Placed<'_>>, StoreError> {
        let (at, kind, json) = loop {
            if self.done >= self.chunk.len() && !self.fill()? {
                return Ok(None);
            }
            let at = self.offset + self.done as u64;
            if let Some((kind, json)) = self.step() {
                break (at, kind, json);
            }
        };
        Ok(self.chunk.get(json).map(|json| (at, kind, json)))
    }

    /// Deals with the next part of the chunk. Returns the place of the text if it is a line.
    fn step(&mut self) -> Option<(Kind, Range<usize>)> {
        let (start, rest) = (self.done, self.chunk.get(self.done..)?);
        let Some(line) = Line::parse(rest) else {
            let ended = rest.ends_with(b"\n");
            let kind = if ended { DamageKind::Corrupt } else { DamageKind::Unfinished };
            self.done = self.chunk.len();
            self.report(start, self.chunk.len() - start, kind);
            return None;
        };
        self.done += line.length + 1;
        let (kind, text, length) = (line.kind, line.json.len(), line.length);
        if rest.get(length).is_some_and(|end| *end != b'\n') {
            // The line end became another letter, and the next line stands in this chunk.
            self.report(start + length, 1, DamageKind::Corrupt);
        }
        if kind.is_none() {
            self.report(start, length, DamageKind::UnknownKind);
        }
        let end = start + length;
        Some((kind?, end - text..end))
    }

    /// Reads up to the next line end. Returns whether there was anything.
    fn fill(&mut self) -> Result<bool, StoreError> {
        self.offset += self.chunk.len() as u64;
        self.chunk.clear();
        self.done = 0;
        let most = LONGEST as u64 + 64;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.chunk);
        read.map_err(|error| StoreError::io("read", &self.path, error))?;
        Ok(!self.chunk.is_empty())
    }

    fn report(&self, start: usize, bytes: usize, kind: DamageKind) {
        self.reporter.report(&self.path, self.offset + start as u64, bytes, kind);
    }
}
