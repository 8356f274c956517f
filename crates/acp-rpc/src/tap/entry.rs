//! The records of a recording, written as one JSON object a line.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use acp_json::{Node, Value};

use super::{Direction, Kind, Traffic};
use crate::wire::encode::Encode;
use crate::wire::message::Id;
use crate::wire::reading::{Noise, repaired};

/// The version of the form of files.
pub(super) const VERSION: u64 = 1;

/// One record of a [`Recording`](super::Recording).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// The head of a file: the version of its form.
    Start {
        /// The time of the start.
        time: SystemTime,
        /// The version. A file without a head has version 1.
        version: u64,
    },
    /// A line of the connection.
    Line(Entry),
    /// A gap: the file was too slow, and so many lines were not recorded.
    Dropped {
        /// The time when they were dropped.
        time: SystemTime,
        /// The number of lines.
        count: u64,
    },
    /// The end of the connection.
    End {
        /// The time of the end.
        time: SystemTime,
        /// The reason, for people.
        reason: String,
    },
}

/// One line of a connection, as it was recorded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The time when it was seen, to the microsecond.
    pub time: SystemTime,
    /// Its direction, as seen from the side that recorded.
    pub direction: Direction,
    /// Its kind.
    pub kind: Kind,
    /// The method, of a request or notification.
    pub method: Option<String>,
    /// The id, of a request or response.
    pub id: Option<Id>,
    /// The length of the line in bytes, before redaction.
    pub bytes: u64,
    /// The message, with U+FFFD for text that is not Unicode. For a line that is not JSON it is a
    /// string with the line. `None` if it was not recorded.
    pub body: Option<Value>,
}

/// Writes the record of a line. Writing into memory cannot fail.
pub(super) fn write_line(buffer: &mut Vec<u8>, traffic: &Traffic<'_>) {
    let direction = if traffic.direction == Direction::In { "in" } else { "out" };
    let (time, kind) = (micros(traffic.time), kind_name(traffic.kind));
    let _ = write!(buffer, r#"{{"time":{time},"direction":"{direction}","kind":"{kind}""#);
    if let Kind::Error(code) = traffic.kind {
        let _ = write!(buffer, r#","code":{code}"#);
    }
    if let Some(method) = traffic.method {
        buffer.extend_from_slice(br#","method":"#);
        let _ = method.encode(buffer);
    }
    if let Some(id) = traffic.id {
        buffer.extend_from_slice(br#","id":"#);
        let _ = id.encode(buffer);
    }
    let _ = write!(buffer, r#","bytes":{}"#, traffic.bytes);
    if let Some(line) = traffic.line {
        buffer.extend_from_slice(br#","body":"#);
        if traffic.kind == Kind::NotJson {
            let _ = String::from_utf8_lossy(line).encode(buffer);
        } else {
            buffer.extend_from_slice(line);
        }
    }
    buffer.extend_from_slice(b"}\n");
}

/// Writes the record of a gap.
pub(super) fn write_dropped(buffer: &mut Vec<u8>, time: SystemTime, count: u64) {
    let time = micros(time);
    let _ = writeln!(buffer, r#"{{"time":{time},"kind":"dropped","count":{count}}}"#);
}

/// Writes the head of a file.
pub(super) fn write_start(buffer: &mut Vec<u8>, time: SystemTime, version: u64) {
    let time = micros(time);
    let _ = writeln!(buffer, r#"{{"time":{time},"kind":"start","version":{version}}}"#);
}

/// Writes the record of the end.
pub(super) fn write_end(buffer: &mut Vec<u8>, time: SystemTime, reason: &str) {
    let _ = write!(buffer, r#"{{"time":{},"kind":"end","reason":"#, micros(time));
    let _ = reason.encode(buffer);
    buffer.extend_from_slice(b"}\n");
}

/// Reads a record. An error is the problem with it.
pub(super) fn read(line: &[u8]) -> Result<Record, &'static str> {
    let text;
    let node = match acp_json::parse_slice(line) {
        Ok(node) => Ok(node),
        // A record holds its line as it came.
        Err(_) => {
            text = repaired(line, Noise::Skip).unwrap_or_default();
            acp_json::parse(&text)
        }
    };
    let mut node = node.map_err(|_| "it is not JSON")?;
    let number = |name| node.get(name).and_then(Node::as_u64);
    let text = |name| node.get(name).and_then(Node::as_str);
    let time = number("time").and_then(|time| UNIX_EPOCH.checked_add(Duration::from_micros(time)));
    let time = time.ok_or("`time` must be a number of microseconds since 1970")?;
    let kind = text("kind").ok_or("`kind` must be a string")?;
    match kind {
        "dropped" => {
            let count = number("count").ok_or("`count` must be a number")?;
            return Ok(Record::Dropped { time, count });
        }
        "start" => {
            let version = number("version").ok_or("`version` must be a number")?;
            return match version {
                1..=VERSION => Ok(Record::Start { time, version }),
                _ => Err("its form is newer than this program: use a newer one"),
            };
        }
        "end" => {
            let reason = text("reason").ok_or("`reason` must be a string")?.to_owned();
            return Ok(Record::End { time, reason });
        }
        _ => {}
    }
    let code = node.get("code").and_then(Node::as_i64).and_then(|code| i32::try_from(code).ok());
    let kind = kind_of(kind, code).ok_or("`kind` must be a known kind, and an `error` needs a `code`")?;
    let direction = match text("direction") {
        Some("in") => Direction::In,
        Some("out") => Direction::Out,
        _ => return Err("`direction` must be \"in\" or \"out\""),
    };
    let bytes = number("bytes").ok_or("`bytes` must be a number")?;
    let method = text("method").map(str::to_owned);
    let id = match node.get("id") {
        Some(id) => Some(Id::from_node(id).ok_or("`id` must be a string, a 64-bit integer or null")?),
        None => None,
    };
    let body = node.take("body").map(Value::from);
    Ok(Record::Line(Entry { time, direction, kind, method, id, bytes, body }))
}

fn micros(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros()
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Request => "request",
        Kind::Notification => "notification",
        Kind::Result => "result",
        Kind::Error(_) => "error",
        Kind::Invalid => "invalid",
        Kind::NotJson => "not_json",
        Kind::Oversized => "oversized",
    }
}

fn kind_of(name: &str, code: Option<i32>) -> Option<Kind> {
    Some(match name {
        "request" => Kind::Request,
        "notification" => Kind::Notification,
        "result" => Kind::Result,
        "error" => Kind::Error(code?),
        "invalid" => Kind::Invalid,
        "not_json" => Kind::NotJson,
        "oversized" => Kind::Oversized,
        _ => return None,
    })
}
