#![doc = include_str!("tap.md")]

mod entry;
mod observer;
mod record;
mod recorder;
mod recording;
mod redaction;
mod rename;
mod replay;
mod replayed;
mod script;
mod traffic;

use std::fmt;
use std::sync::Arc;

pub use self::entry::{Entry, Record};
pub use self::recorder::Recorder;
pub use self::recording::{Recording, RecordingError};
pub use self::redaction::Redaction;
pub use self::replay::{Replay, ReplayError, replay};
pub use self::replayed::Replayed;
pub use self::traffic::{Direction, Kind, Traffic};

pub(crate) use self::observer::Observer;

use crate::wire::message::{Id, Message};
use crate::wire::reading::{Noise, repaired};

/// Sees each line of a connection, in the order of the wire. A connection without one pays nothing.
///
/// By default the line itself is withheld: an observer sees the kind of message, its method, id and
/// size, but no params, results or error data. [`Tap::redacted`] shows lines without their secrets,
/// [`Tap::raw`] shows all of it.
///
/// Observers run on the connection's driver: they must be quick and must not block.
#[derive(Clone)]
pub struct Tap {
    observe: Arc<dyn Fn(Traffic<'_>) + Send + Sync>,
    show: Show,
    /// Sees the same lines.
    next: Option<Box<Tap>>,
}

/// The part of lines that a tap shows.
#[derive(Clone, Debug)]
enum Show {
    Nothing,
    Redacted(Redaction),
    Everything,
}

impl Tap {
    /// Creates a tap that withholds the content of messages.
    pub fn new(observe: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), show: Show::Nothing, next: None }
    }

    /// Creates a tap that shows lines without their secrets.
    pub fn redacted(redaction: Redaction, observe: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), show: Show::Redacted(redaction), next: None }
    }

    /// Creates a tap that shows whole lines, secrets included.
    pub fn raw(observe: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self { observe: Arc::new(observe), show: Show::Everything, next: None }
    }

    /// Adds a tap that sees the same lines after this one. A connection takes one tap, and this
    /// makes one of two. Each shows its own part of a line.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.next = Some(Box::new(match self.next {
            Some(next) => next.and(other),
            None => other,
        }));
        self
    }

    /// Shows one line to each tap.
    fn see(&self, direction: Direction, line: &[u8], text: &[u8]) {
        self.see_line(direction, line, text);
        if let Some(next) = &self.next {
            next.see(direction, line, text);
        }
    }

    /// Shows one line that was read as `text`, which differs from it if it was repaired. It is
    /// parsed here once more, at the cost of those who look.
    fn see_line(&self, direction: Direction, line: &[u8], text: &[u8]) {
        let message = Message::parse(text);
        if let (Direction::Out, Err(_), true) = (direction, &message, line == text)
            && let Some(text) = repaired(line, Noise::Skip)
        {
            // JSON of somebody else that a service passed on.
            return self.see_line(direction, line, text.as_bytes());
        }
        let mut traffic = Traffic::head(direction, &message, line.len());
        let redacted = match &self.show {
            Show::Redacted(redaction) => redaction.line(text),
            Show::Nothing | Show::Everything => None,
        };
        let raw = matches!(self.show, Show::Everything).then_some(line);
        traffic.line = redacted.as_deref().or(raw);
        (self.observe)(traffic);
    }

    fn see_oversized(&self, id: Option<&Id>, bytes: u64) {
        (self.observe)(Traffic::oversized(Direction::In, id, bytes));
        if let Some(next) = &self.next {
            next.see_oversized(id, bytes);
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("show", &self.show).finish_non_exhaustive()
    }
}
