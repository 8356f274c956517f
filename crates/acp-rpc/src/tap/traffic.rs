//! The view of a line that a tap gets.

use std::fmt;
use std::time::SystemTime;

use crate::wire::message::{Answer, Id, Message};

/// One line, as a [`Tap`](super::Tap) sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Traffic<'a> {
    /// The time when it was seen: as it came in, or as it went to be written.
    pub time: SystemTime,
    /// Its direction.
    pub direction: Direction,
    /// Its kind.
    pub kind: Kind,
    /// The method, of a request or notification.
    pub method: Option<&'a str>,
    /// The id, of a request or response.
    pub id: Option<&'a Id>,
    /// The line's length in bytes, without its newline.
    pub bytes: u64,
    /// The line, if the tap shows lines: as it was, to the byte, or redacted and written anew. A
    /// line that was too long is `None`. So is a redacted line that is not JSON, because its
    /// secrets cannot be told from the rest.
    pub line: Option<&'a [u8]>,
}

/// The direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the peer to this side.
    In,
    /// From this side to the peer.
    Out,
}

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response with a result.
    Result,
    /// A response with an error and this code.
    Error(i32),
    /// JSON, but not a valid message.
    Invalid,
    /// Not JSON.
    NotJson,
    /// Too long, or with values that take too much memory.
    Oversized,
}

impl<'a> Traffic<'a> {
    /// Describes a line, without the line itself.
    pub(super) fn head(
        direction: Direction,
        message: &'a Result<Message<'_>, impl Sized>,
        bytes: usize,
    ) -> Self {
        let (kind, method, id) = match message {
            Ok(Message::Request { id, method, .. }) => (Kind::Request, Some(method.as_ref()), Some(id)),
            Ok(Message::Notification { method, .. }) => (Kind::Notification, Some(method.as_ref()), None),
            Ok(Message::Response { id, answer }) => (kind_of(answer), None, Some(id)),
            Ok(Message::Unaddressed { error: Some(error) }) => (Kind::Error(error.code), None, None),
            Ok(Message::Unaddressed { error: None }) => (Kind::Invalid, None, None),
            Ok(Message::Bare { id } | Message::Invalid { id, .. }) => (Kind::Invalid, None, Some(id)),
            Err(_) => (Kind::NotJson, None, None),
        };
        Self { time: SystemTime::now(), direction, kind, method, id, bytes: bytes as u64, line: None }
    }

    /// Describes a line that was not read.
    pub(super) fn oversized(direction: Direction, id: Option<&'a Id>, bytes: u64) -> Self {
        let kind = Kind::Oversized;
        Self { time: SystemTime::now(), direction, kind, method: None, id, bytes, line: None }
    }
}

const fn kind_of(answer: &Answer<'_>) -> Kind {
    match answer {
        Answer::Result(_) => Kind::Result,
        Answer::Error(error) => Kind::Error(error.code),
        Answer::Malformed(_) => Kind::Invalid,
    }
}

impl fmt::Display for Traffic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.direction == Direction::In { "<-" } else { "->" })?;
        match self.kind {
            Kind::Request => f.write_str(" request")?,
            Kind::Notification => f.write_str(" notification")?,
            Kind::Result => f.write_str(" result")?,
            Kind::Error(code) => write!(f, " error {code}")?,
            Kind::Invalid => f.write_str(" invalid message")?,
            Kind::NotJson => f.write_str(" not JSON")?,
            Kind::Oversized => f.write_str(" oversized line")?,
        }
        if let Some(method) = self.method {
            write!(f, " {method}")?;
        }
        if let Some(id) = self.id {
            write!(f, " id {id}")?;
        }
        write!(f, " ({} bytes)", self.bytes)?;
        self.line.map_or(Ok(()), |line| write!(f, " {}", String::from_utf8_lossy(line)))
    }
}
