//! A reader of recordings.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::entry::{self, Record};

/// A recording: an iterator over its records, which it reads one by one.
///
/// An error of a record does not end it: the next item is the next record.
#[derive(Debug)]
pub struct Recording<R> {
    from: R,
    /// The number of the line that was read last, from 1.
    line: u64,
    buffer: Vec<u8>,
    failed: bool,
}

impl Recording<BufReader<File>> {
    /// Opens a file that a [`Recorder`](super::Recorder) wrote.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::new(BufReader::new(File::open(path)?)))
    }
}

impl<R: BufRead> Recording<R> {
    /// Reads a recording from any reader.
    pub const fn new(from: R) -> Self {
        Self { from, line: 0, buffer: Vec::new(), failed: false }
    }

    fn read(&mut self) -> Result<Option<Record>, RecordingError> {
        loop {
            self.buffer.clear();
            self.line += 1;
            if self.from.read_until(b'\n', &mut self.buffer).map_err(RecordingError::Io)? == 0 {
                return Ok(None);
            }
            let text = self.buffer.trim_ascii();
            if !text.is_empty() {
                let line = self.line;
                let record = entry::read(text);
                return record.map(Some).map_err(|problem| RecordingError::Malformed { line, problem });
            }
        }
    }
}

impl<R: BufRead> Iterator for Recording<R> {
    type Item = Result<Record, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let record = self.read();
        self.failed = matches!(record, Err(RecordingError::Io(_)));
        record.transpose()
    }
}

/// The reason why a record could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// Reading failed. There are no more records.
    Io(io::Error),
    /// A line is not a record.
    Malformed {
        /// Its number, from 1.
        line: u64,
        /// The problem with it.
        problem: &'static str,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the recording cannot be read: {error}"),
            Self::Malformed { line, problem } => {
                write!(f, "line {line} of the recording is not a record: {problem}")
            }
        }
    }
}

impl std::error::Error for RecordingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed { .. } => None,
        }
    }
}
