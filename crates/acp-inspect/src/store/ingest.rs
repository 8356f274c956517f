//! Records that become messages of a store: from a file, or from a tape while it runs.

use std::io::{self, BufRead, Write};

use acp_rpc::tap::{Kind, Record, Recording};

use super::Store;

/// Takes the records of a tape and adds them to a store.
#[derive(Debug)]
pub struct RecordSink {
    store: Store,
    /// A record that is not whole.
    begun: Vec<u8>,
}

impl Store {
    /// Returns a writer of records, one a line, for a [`Tape`](acp_testkit::recordings::Tape).
    #[must_use]
    pub fn sink(&self) -> RecordSink {
        RecordSink { store: self.clone(), begun: Vec::new() }
    }

    /// Adds the records of a whole recording, and notes its end. Returns the number of lines that
    /// are no records.
    ///
    /// # Errors
    /// Fails if the recording cannot be read, or is of a newer form, or the store cannot be written.
    pub fn read(&self, mut recording: impl BufRead) -> io::Result<u64> {
        let (mut buffer, mut malformed) = (Vec::new(), 0);
        loop {
            buffer.clear();
            if recording.read_until(b'\n', &mut buffer)? == 0 {
                self.end();
                return Ok(malformed);
            }
            if !buffer.trim_ascii().is_empty() && !self.take(buffer.trim_ascii())? {
                malformed += 1;
            }
        }
    }

    /// Adds one record. Returns false if it is none.
    fn take(&self, text: &[u8]) -> io::Result<bool> {
        let Some(Ok(record)) = Recording::new(text).next() else { return Ok(false) };
        match record {
            Record::Line(entry) => {
                let line = match &entry.body {
                    None => Vec::new(),
                    Some(body) if entry.kind == Kind::NotJson => {
                        body.as_str().unwrap_or_default().as_bytes().to_vec()
                    }
                    Some(body) => match unchanged(text) {
                        Some(line) => line.to_vec(),
                        None => serde_json::to_vec(body).map_err(io::Error::other)?,
                    },
                };
                self.append(entry.time, entry.direction, &line)?;
            }
            Record::Dropped { count, .. } => self.lost(count),
            Record::End { .. } => self.end(),
            _ => {}
        }
        Ok(true)
    }
}

/// Returns the line within a record of this project, to the byte: its last member is the body.
fn unchanged(record: &[u8]) -> Option<&[u8]> {
    const BODY: &[u8] = br#","body":"#;
    // No string can hold this: its quotes would be escaped.
    let at = record.windows(BODY.len()).position(|part| part == BODY)?;
    let body = record.get(at + BODY.len()..record.len().checked_sub(1)?)?;
    acp_json::parse_slice(body).is_ok().then_some(body)
}

impl Write for RecordSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.begun.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let record = std::mem::take(&mut self.begun);
                if !self.store.take(record.trim_ascii())? {
                    self.store.lost(1);
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
