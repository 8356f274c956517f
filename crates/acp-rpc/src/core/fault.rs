//! Problems that did not end the connection.

use std::fmt;

use crate::wire::message::{Error, Id};

/// A problem that a service may want to log: a message was unusable, or a handler failed.
///
/// The connection goes on in every case. Neither `Display` nor `Debug` shows what the peer sent or
/// a panic said; the fields do.
#[non_exhaustive]
pub enum Fault<'a> {
    /// A line is not JSON: usually a stray print of the other program. If its id could be found, a
    /// request was answered with `-32700`, and a request of this side that it answers failed.
    NotJson {
        /// The line.
        line: &'a [u8],
        /// The position where it stops being JSON: the offset in bytes, from 1.
        column: usize,
    },
    /// Text in a message is not Unicode: it has half a surrogate pair where its sender cut it or,
    /// from a program that this side started ([`Noise::Skip`](crate::Noise::Skip)), bytes that are
    /// not UTF-8. U+FFFD was read in place of each.
    Repaired {
        /// The line as it came.
        line: &'a [u8],
        /// The position of the first one: the offset in bytes, from 1.
        column: usize,
    },
    /// A line is longer than the limit and was skipped.
    Oversized {
        /// The line's length in bytes.
        length: u64,
        /// The limit in bytes.
        limit: usize,
        /// Its id, if one could be found.
        id: Option<&'a Id>,
    },
    /// The values of a message would take more memory than
    /// [`Options::max_message`](crate::Options::max_message) allows. They were not read.
    TooHeavy {
        /// The line's length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
        /// Its id, if one could be found.
        id: Option<&'a Id>,
    },
    /// A line is JSON but not a message, or a request that cannot be taken. It was refused with
    /// this error.
    Refused {
        /// The id it was refused under.
        id: &'a Id,
        /// The error it was refused with.
        error: &'a Error,
    },
    /// A response to no request of this side. It was dropped.
    UnknownResponse {
        /// The id it carries.
        id: &'a Id,
    },
    /// A response without a usable id. It was dropped.
    Unaddressed {
        /// The error it carries, if it carries one.
        error: Option<&'a Error>,
    },
    /// The answer to a request of this side is malformed. That request failed.
    MalformedResponse {
        /// The request's id.
        id: &'a Id,
        /// The problem.
        problem: &'static str,
    },
    /// A `$/cancel_request` without a usable `requestId`. It was ignored.
    BadCancel,
    /// A notification that its service could not understand, and must not answer. The service
    /// itself reports it.
    Ignored {
        /// The method.
        method: &'a str,
        /// The reason, such as the params that cannot be read.
        reason: &'a str,
    },
    /// Something that this side has stored cannot be read and was skipped. The service itself
    /// reports it.
    Unreadable {
        /// Its name, such as a record of a session.
        what: &'a str,
        /// The reason.
        reason: &'a str,
    },
    /// Something that this side wanted to say has no form in what the peer takes. It was said in
    /// another way, or left out. The service itself reports it.
    Degraded {
        /// Its name, such as a kind of value.
        what: &'a str,
        /// The other way.
        instead: &'a str,
    },
    /// A handler panicked, or a value of it panicked on drop. A request whose result was lost with
    /// it was answered with `-32603`.
    Panicked {
        /// The origin: a method, a lane and so on.
        origin: Origin<'a>,
        /// The panic's message.
        message: &'a str,
    },
    /// A handler's result could not be written as JSON; its request was answered with `-32603`.
    UnwritableResult {
        /// The method.
        method: &'a str,
        /// The message of the serialiser.
        message: &'a str,
    },
}

/// The code that panicked.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Origin<'a> {
    /// The handler of this method.
    Method(&'a str),
    /// A job of this lane.
    Lane(&'a str),
    /// The code that reads the result of a request of this side. That request failed.
    Result,
    /// The observer of the wire.
    Tap,
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => write!(f, "the handler of `{method}`"),
            Self::Lane(lane) => write!(f, "a job of lane `{lane}`"),
            Self::Result => f.write_str("the reader of a result"),
            Self::Tap => f.write_str("the tap"),
        }
    }
}

impl Fault<'_> {
    /// Tells whether a message of the peer was lost, so that nobody here knows its content. A stray
    /// print that is not JSON is not a message.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        match self {
            Self::NotJson { line, .. } => line.starts_with(b"{"),
            Self::Oversized { .. } | Self::TooHeavy { .. } | Self::Ignored { .. } => true,
            _ => false,
        }
    }
}

impl fmt::Debug for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({self})")
    }
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column } => {
                write!(f, "a line of {} bytes is not JSON (at byte {column})", line.len())
            }
            Self::Repaired { line, column } => {
                let length = line.len();
                write!(
                    f,
                    "a message of {length} bytes has text that is not Unicode, read as U+FFFD (at byte {column})"
                )
            }
            Self::Oversized { length, limit, .. } => {
                write!(f, "a line of {length} bytes was skipped: the limit is {limit} bytes")
            }
            Self::TooHeavy { length, limit, .. } => {
                let what = "a line was skipped, because its values would take more memory than the limit of";
                write!(f, "{what} {limit} bytes ({length} bytes long)")
            }
            Self::Refused { id, error } => write!(f, "refused message {id}: {}", error.message),
            Self::UnknownResponse { id } => write!(f, "a response has an id that nobody waits for: {id}"),
            Self::Unaddressed { error: Some(error) } => {
                write!(f, "the peer reported an error without an id (code {})", error.code)
            }
            Self::Unaddressed { error: None } => f.write_str("a response has no usable id"),
            Self::MalformedResponse { id, problem } => write!(f, "the response {id} is malformed: {problem}"),
            Self::BadCancel => f.write_str("`$/cancel_request` has no usable `requestId`"),
            Self::Ignored { method, reason } => write!(f, "ignored `{method}`: {reason}"),
            Self::Unreadable { what, reason } => {
                write!(f, "{what} was skipped, because it cannot be read: {reason}")
            }
            Self::Degraded { what, instead } => {
                write!(f, "the peer does not take {what}: {instead}")
            }
            Self::Panicked { origin, .. } => write!(f, "{origin} panicked"),
            Self::UnwritableResult { method, message } => {
                write!(f, "the result of `{method}` cannot be written as JSON: {message}")
            }
        }
    }
}
