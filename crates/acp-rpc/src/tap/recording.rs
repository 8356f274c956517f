//! Reading what was recorded.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::entry::{self, Record};

/// A recording: an iterator over its records, read as it goes.
///
/// An error of a record does not end it: the next one is read after it.
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
    /// If it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::new(BufReader::new(File::open(path)?)))
    }
}

impl<R: BufRead> Recording<R> {
    /// A recording that is read from anything.
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

/// Why a record could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// Reading failed; there are no more records.
    Io(io::Error),
    /// A line is no record.
    Malformed {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the recording cannot be read: {error}"),
            Self::Malformed { line, problem } => {
                write!(f, "line {line} of the recording is no record: {problem}")
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
