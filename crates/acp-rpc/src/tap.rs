//! Seeing the wire.

use std::fmt;
use std::sync::Arc;

use crate::fault::{Fault, Origin};
use crate::message::{Answer, Id, Message};
use crate::service::Service;
use crate::task::guarded;

/// Sees each line of a connection, in the order of the wire. Free when there is none.
///
/// By default the line itself is withheld: an observer sees what kind of message it is, its method, id and
/// size, but no params, results or error data. [`Tap::raw`] shows all of it.
///
/// Observers run on the connection's driver: they must be quick and must not block.
#[derive(Clone)]
pub struct Tap {
    observe: Arc<dyn Fn(Traffic<'_>) + Send + Sync>,
    raw: bool,
}

/// One line, as a [`Tap`] sees it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Traffic<'a> {
    /// Where it goes.
    pub direction: Direction,
    /// What it is.
    pub kind: Kind,
    /// The method, of a request or notification.
    pub method: Option<&'a str>,
    /// The id, of a request or response.
    pub id: Option<&'a Id>,
    /// The line's length in bytes, without its newline.
    pub bytes: u64,
    /// The line, if the tap is raw and the line was not too long.
    pub line: Option<&'a [u8]>,
}

/// Where a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the peer to this side.
    In,
    /// From this side to the peer.
    Out,
}

/// What a line is.
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
    /// Too long.
    Oversized,
}

impl Tap {
    /// A tap that withholds what messages carry.
    pub fn new(observe: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), raw: false }
    }

    /// A tap that shows whole lines, secrets included.
    pub fn raw(observe: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), raw: true }
    }

    /// Shows one line. It is parsed here once more, which only those pay who look.
    fn see(&self, direction: Direction, line: &[u8]) {
        let message = Message::parse(line);
        let (kind, method, id) = match &message {
            Ok(Message::Request { id, method, .. }) => (Kind::Request, Some(method.as_ref()), Some(id)),
            Ok(Message::Notification { method, .. }) => (Kind::Notification, Some(method.as_ref()), None),
            Ok(Message::Response { id, answer }) => (kind_of(answer), None, Some(id)),
            Ok(Message::Unaddressed { error: Some(error) }) => (Kind::Error(error.code), None, None),
            Ok(Message::Unaddressed { error: None }) => (Kind::Invalid, None, None),
            Ok(Message::Bare { id } | Message::Invalid { id, .. }) => (Kind::Invalid, None, Some(id)),
            Err(_) => (Kind::NotJson, None, None),
        };
        let bytes = line.len() as u64;
        (self.observe)(Traffic { direction, kind, method, id, bytes, line: self.raw.then_some(line) });
    }

    fn see_oversized(&self, id: Option<&Id>, bytes: u64) {
        let (direction, kind) = (Direction::In, Kind::Oversized);
        (self.observe)(Traffic { direction, kind, method: None, id, bytes, line: None });
    }
}

const fn kind_of(answer: &Answer<'_>) -> Kind {
    match answer {
        Answer::Result(_) => Kind::Result,
        Answer::Error(error) => Kind::Error(error.code),
        Answer::Malformed(_) => Kind::Invalid,
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("raw", &self.raw).finish_non_exhaustive()
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

/// A connection's tap, if it has one, and who is told should it panic.
#[derive(Clone)]
pub(crate) struct Observer {
    tap: Option<Tap>,
    service: Arc<dyn Service>,
}

impl Observer {
    pub(crate) fn new(tap: Option<Tap>, service: Arc<dyn Service>) -> Self {
        Self { tap, service }
    }

    pub(crate) const fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    pub(crate) fn received(&self, line: &[u8]) {
        self.show(|tap| tap.see(Direction::In, line));
    }

    pub(crate) fn oversized(&self, id: Option<&Id>, bytes: u64) {
        self.show(|tap| tap.see_oversized(id, bytes));
    }

    /// Shows a batch of output, line by line.
    pub(crate) fn sent(&self, batch: &[u8]) {
        self.show(|tap| {
            let lines = batch.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.for_each(|line| tap.see(Direction::Out, line));
        });
    }

    fn show(&self, see: impl FnOnce(&Tap)) {
        if let Some(tap) = &self.tap
            && let Err(message) = guarded(|| see(tap))
        {
            self.service.fault(Fault::Panicked { origin: Origin::Tap, message: &message });
        }
    }
}
