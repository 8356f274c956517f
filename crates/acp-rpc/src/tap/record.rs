//! Records that a program writes itself, without a connection of this crate.

use std::time::SystemTime;

use super::entry::{self, Record, VERSION};
use super::{Direction, Kind, Redaction, Traffic};
use crate::wire::message::Message;
use crate::wire::reading::{Noise, repaired};

impl Record {
    /// The version of the form that this crate writes.
    pub const VERSION: u64 = VERSION;

    /// Adds the record of a line that a program has seen, without the newline. With a `redaction`
    /// the line is written without its secrets, and the text of a line that is not JSON is
    /// withheld. Otherwise the line is written as it is.
    ///
    /// ```
    /// use std::time::SystemTime;
    /// use acp_rpc::tap::{Direction, Record, Recording, Redaction};
    ///
    /// let mut file = Vec::new();
    /// let line = br#"{"jsonrpc":"2.0","method":"note","params":{"token":"x"}}"#;
    /// let secrets = Redaction::default();
    /// Record::write_line(&mut file, SystemTime::now(), Direction::In, line, Some(&secrets));
    /// let Some(Ok(Record::Line(entry))) = Recording::new(&*file).next() else { panic!() };
    /// assert_eq!(entry.method.as_deref(), Some("note"));
    /// assert!(entry.body.unwrap().to_string().contains(r#""token":"[redacted]""#));
    /// ```
    pub fn write_line(
        buffer: &mut Vec<u8>,
        time: SystemTime,
        direction: Direction,
        line: &[u8],
        redaction: Option<&Redaction>,
    ) {
        let mended = match Message::parse(line) {
            Ok(_) => None,
            Err(_) => repaired(line, Noise::Skip),
        };
        let text = mended.as_deref().map_or(line, str::as_bytes);
        let message = Message::parse(text);
        let mut traffic = Traffic { time, ..Traffic::head(direction, &message, line.len()) };
        let redacted = redaction.and_then(|redaction| redaction.line(text));
        traffic.line = if redaction.is_some() { redacted.as_deref() } else { Some(line) };
        entry::write_line(buffer, &traffic);
    }

    /// Adds the record of a line that was too long to be kept.
    pub fn write_oversized(buffer: &mut Vec<u8>, time: SystemTime, direction: Direction, bytes: u64) {
        entry::write_line(buffer, &Traffic { time, ..Traffic::oversized(direction, None, bytes) });
    }

    /// Adds this record. A message is written anew, so its white space may differ.
    pub fn write(&self, buffer: &mut Vec<u8>) {
        match self {
            Self::Start { time, version } => entry::write_start(buffer, *time, *version),
            Self::Dropped { time, count } => entry::write_dropped(buffer, *time, *count),
            Self::End { time, reason } => entry::write_end(buffer, *time, reason),
            Self::Line(line) => {
                let body = line.body.as_ref().map(|body| match body.as_str() {
                    Some(text) if line.kind == Kind::NotJson => text.to_owned(),
                    _ => acp_json::to_string(body),
                });
                let traffic = Traffic {
                    time: line.time,
                    direction: line.direction,
                    kind: line.kind,
                    method: line.method.as_deref(),
                    id: line.id.as_ref(),
                    bytes: line.bytes,
                    line: body.as_deref().map(str::as_bytes),
                };
                entry::write_line(buffer, &traffic);
            }
        }
    }
}
