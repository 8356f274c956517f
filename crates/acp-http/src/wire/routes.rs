//! Streams of a connection and the way of each message, without I/O and clock.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::task::{Poll, Waker};

use acp_rpc::Id;

use super::effect::Effect;
use super::head::{Head, Kind};
use super::headers::fits_header;
pub(crate) use super::stream::Next;
use super::stream::{EventStream, weight};
use super::turns::Turns;

/// The most requests of an agent whose session is remembered.
const MOST_ASKED: usize = 1024;

/// Names a stream: a session's, or that of the connection.
pub(crate) type StreamKey = Option<Arc<str>>;

/// The sizes of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The most bytes that wait for readers, or to be written. One message more may be there.
    pub(crate) buffer: usize,
    /// The most streams of sessions.
    pub(crate) streams: usize,
    /// The most streams of sessions that the agent does not know.
    pub(crate) unconfirmed: usize,
    /// The most requests of the client that are not answered.
    pub(crate) requests: usize,
    /// The most bytes of events of each stream that are kept after they were taken.
    pub(crate) kept: usize,
}

/// The reason why a message is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    IdInUse,
    TooManyRequests,
    OtherSession,
}

/// The reason why a stream is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    Taken,
    Unknown,
    TooMany,
}

/// A request of the client that is not answered yet.
#[derive(Debug)]
struct Open {
    session: Option<Arc<str>>,
    effect: Effect,
}

/// The answer to `initialize`.
#[derive(Debug)]
pub(crate) struct Initialized {
    pub(crate) message: Vec<u8>,
    pub(crate) is_error: bool,
}

/// The streams of one connection. Messages keep their order within each, and not between them.
#[derive(Debug)]
pub(crate) struct Routes {
    connection: EventStream,
    sessions: HashMap<Arc<str>, EventStream>,
    /// Sessions that a client took up before it opened their streams. Some clients open one when
    /// they hear of the session, so all its messages come on the connection's stream until then.
    unstreamed: HashSet<Arc<str>>,
    open: HashMap<Id, Open>,
    /// Requests of the agent on streams of sessions.
    asked: HashMap<Id, Arc<str>>,
    turns: Turns,
    buffered: usize,
    sizes: Sizes,
    /// The agent's writer and others who wait for room.
    writers: Vec<Waker>,
    /// The client has gone, so only readers that are still there get something.
    is_closing: bool,
    has_ended: bool,
}

impl Routes {
    pub(crate) fn new(sizes: Sizes) -> Self {
        Self {
            connection: EventStream::confirmed(),
            sessions: HashMap::new(),
            unstreamed: HashSet::new(),
            open: HashMap::new(),
            asked: HashMap::new(),
            turns: Turns::default(),
            buffered: 0,
            sizes,
            writers: Vec::new(),
            is_closing: false,
            has_ended: false,
        }
    }

    /// Notes a message of the client on its way to the agent. `session` is the one that it names,
    /// in its header or in its params.
    pub(crate) fn admit(&mut self, head: &Head<'_>, session: Option<&str>) -> Result<(), Denied> {
        match &head.kind {
            Kind::Request { id, method } => {
                if self.open.contains_key(id) {
                    return Err(Denied::IdInUse);
                }
                if self.open.len() >= self.sizes.requests {
                    return Err(Denied::TooManyRequests);
                }
                let session: StreamKey = session.filter(|session| fits_header(session)).map(Arc::from);
                let effect = Effect::of(method);
                if let (Effect::Starts, Some(session)) = (effect, &session) {
                    self.turns.asked(session);
                }
                if effect == Effect::Confirms
                    && let Some(session) = session.as_ref().filter(|session| !self.has_been_open(session))
                    && self.unstreamed.len() < self.sizes.streams
                {
                    self.unstreamed.insert(Arc::clone(session));
                }
                self.open.insert(id.clone(), Open { session, effect });
            }
            Kind::Answer { id: Some(id), .. } => {
                let of = self.asked.get(id);
                if session.zip(of).is_some_and(|(named, of)| *named != **of) {
                    return Err(Denied::OtherSession);
                }
                self.asked.remove(id);
            }
            Kind::Answer { id: None, .. } | Kind::Notification { .. } => {}
        }
        Ok(())
    }

    /// Puts a message of the agent into its stream. The answer to `initialize` is given back.
    pub(crate) fn place(&mut self, message: Vec<u8>) -> Option<Initialized> {
        let (stream, ends) = match Head::read(&message) {
            // It is the client's to judge.
            Err(_) => (None, false),
            Ok(head) => match head.kind {
                Kind::Answer { id: Some(ref id), is_error } => match self.open.remove(id) {
                    Some(Open { effect: Effect::Agrees, .. }) => {
                        if !is_error {
                            self.turns.agreed(head.version);
                        }
                        return Some(Initialized { message, is_error });
                    }
                    Some(open) => self.answered(open, &head, is_error),
                    None => (None, false),
                },
                Kind::Answer { id: None, .. } => (None, false),
                Kind::Request { ref id, .. } => {
                    let stream = self.stream_of_call(&head);
                    if let Some(session) = stream.as_ref().filter(|_| self.asked.len() < MOST_ASKED) {
                        self.asked.insert(id.clone(), Arc::clone(session));
                    }
                    (stream, false)
                }
                Kind::Notification { .. } => {
                    self.turns.heard(&message);
                    (self.stream_of_call(&head), false)
                }
            },
        };
        self.push(&stream, message);
        if let Some(session) = stream.filter(|_| ends) {
            self.end_session(&session);
        }
        None
    }

    /// Returns true if no request of the client waits for its answer, and no turn runs.
    pub(crate) fn is_finished(&self) -> bool {
        self.open.is_empty() && self.turns.are_over()
    }

    /// Returns the version that was agreed on.
    pub(crate) const fn version(&self) -> Option<u64> {
        self.turns.version()
    }

    /// Returns the stream of an answer, and true if that stream ends with it.
    fn answered(&mut self, open: Open, head: &Head<'_>, is_error: bool) -> (StreamKey, bool) {
        match open.effect {
            Effect::Opens if !is_error => {
                // It exists before the client learns its name, and a reader finds it at once.
                let named = head.session.as_deref().filter(|session| fits_header(session));
                named.and_then(|session| self.confirmed(session));
                return (None, false);
            }
            Effect::Opens => return (None, false),
            Effect::Confirms if !is_error => {
                open.session.as_deref().and_then(|session| self.confirmed(session));
            }
            Effect::Starts if !is_error => {
                open.session.iter().for_each(|session| self.turns.accepted(session))
            }
            Effect::Ends if !is_error => open.session.iter().for_each(|session| self.turns.closed(session)),
            _ => {}
        }
        let Some(session) = open.session else { return (None, false) };
        let stream = self.sessions.get(&session);
        let has_own = !self.unstreamed.contains(&session);
        if open.effect == Effect::Ends && !is_error {
            if has_own && stream.is_some_and(EventStream::is_open) {
                return (Some(session), true);
            }
            self.unstreamed.remove(&session);
            self.end_session(&session);
            return (None, false);
        }
        if !has_own {
            if open.effect == Effect::Confirms && is_error {
                self.unstreamed.remove(&session);
            }
            self.settle(&session);
            return (None, false);
        }
        // The stream is about to be opened, or opened again after it broke off. The answer must not
        // overtake what waits there.
        let is_awaited = stream.is_some_and(|stream| stream.has_been_open() || !stream.is_empty());
        (Some(session).filter(|_| is_awaited), false)
    }

    fn has_been_open(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(EventStream::has_been_open)
    }

    /// Lets the messages of a session come on its stream from now on, if it is open and nobody
    /// waits for an answer on the other one.
    fn settle(&mut self, session: &str) {
        let is_asked = |open: &Open| open.session.as_deref() == Some(session);
        if self.has_been_open(session) && !self.open.values().any(is_asked) {
            self.unstreamed.remove(session);
        }
    }

    fn stream_of_call(&mut self, head: &Head<'_>) -> StreamKey {
        // `$/…` is about the connection, whatever its params say.
        let is_about_protocol = head.method().is_some_and(|method| method.starts_with("$/"));
        let session = head.session.as_deref().filter(|session| !is_about_protocol && fits_header(session))?;
        if self.unstreamed.contains(session) {
            return None;
        }
        self.confirmed(session)
    }

    /// Returns the stream of a session that the agent knows, if there is room for it.
    fn confirmed(&mut self, session: &str) -> StreamKey {
        if let Some(key) = self.sessions.get_key_value(session).map(|(key, _)| Arc::clone(key)) {
            if let Some(stream) = self.sessions.get_mut(session) {
                stream.is_confirmed = true;
            }
            return Some(key);
        }
        if self.sessions.len() >= self.sizes.streams || self.has_ended {
            return None;
        }
        let key: Arc<str> = Arc::from(session);
        self.sessions.insert(Arc::clone(&key), EventStream::confirmed());
        Some(key)
    }

    fn stream(&mut self, key: &StreamKey) -> Option<&mut EventStream> {
        match key {
            None => Some(&mut self.connection),
            Some(session) => self.sessions.get_mut(session),
        }
    }

    fn push(&mut self, key: &StreamKey, message: Vec<u8>) {
        let (is_closing, bytes) = (self.is_closing, weight(&message));
        let is_full = self.buffered >= self.sizes.buffer.max(1);
        let Some(stream) = self.stream(key) else { return };
        if stream.has_ended() || (is_closing && (is_full || !stream.is_open())) {
            return;
        }
        stream.push(message);
        self.buffered += bytes;
    }

    /// Opens a stream for a reader. `cursor` is the number of the last event that it has. Events
    /// behind it come once more.
    pub(crate) fn open(&mut self, key: &StreamKey, cursor: Option<u64>) -> Result<u64, NotOpened> {
        if let Some(session) = key
            && !self.sessions.contains_key(session)
        {
            let unconfirmed = self.sessions.values().filter(|stream| !stream.is_confirmed).count();
            if unconfirmed >= self.sizes.unconfirmed {
                return Err(NotOpened::Unknown);
            }
            if self.sessions.len() >= self.sizes.streams {
                return Err(NotOpened::TooMany);
            }
            let stream = EventStream::default();
            self.sessions.insert(Arc::clone(session), stream);
        }
        let stream = self.stream(key).ok_or(NotOpened::Taken)?;
        let before = stream.bytes();
        let reader = stream.open(cursor).ok_or(NotOpened::Taken)?;
        let again = stream.bytes() - before;
        self.hold(again);
        if let Some(session) = key {
            self.settle(session);
        }
        Ok(reader)
    }

    /// Ends the hold of a reader on a stream. What waits in the stream stays there.
    pub(crate) fn close(&mut self, key: &StreamKey, reader: u64) {
        let Some(stream) = self.stream(key) else { return };
        stream.close(reader);
        let is_spent =
            !stream.is_open() && (stream.has_ended() || (!stream.is_confirmed && stream.is_empty()));
        if is_spent && let Some(session) = key {
            self.forget(session);
        }
    }

    /// Takes the next event of a stream, or keeps the waker of its reader.
    pub(crate) fn next(&mut self, key: &StreamKey, reader: u64, waker: &Waker) -> Next {
        let keep = self.sizes.kept;
        let Some(stream) = self.stream(key) else { return Next::End };
        let next = stream.next(reader, keep, waker);
        if let Next::Event(_, message) = &next {
            self.release(weight(message));
        }
        next
    }

    /// Counts bytes that readers have taken, and that are not written yet.
    pub(crate) const fn hold(&mut self, bytes: usize) {
        self.buffered += bytes;
    }

    /// Gives back room: bytes were written, or are lost.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.buffered = self.buffered.saturating_sub(bytes);
        self.wake_writers();
    }

    /// Waits until a message may be placed.
    pub(crate) fn poll_room(&mut self, waker: &Waker) -> Poll<()> {
        if self.is_closing || self.buffered < self.sizes.buffer.max(1) {
            return Poll::Ready(());
        }
        if !self.writers.iter().any(|known| known.will_wake(waker)) {
            self.writers.push(waker.clone());
        }
        Poll::Pending
    }

    /// The client wants nothing any more, apart from readers that are still there.
    pub(crate) fn client_left(&mut self) {
        self.is_closing = true;
        self.wake_writers();
    }

    /// The agent has ended: readers get what waits for them, and then the end.
    pub(crate) fn end(&mut self) {
        self.has_ended = true;
        self.open.clear();
        self.asked.clear();
        self.turns.clear();
        self.connection.end();
        self.sessions.values_mut().for_each(EventStream::end);
    }

    fn end_session(&mut self, session: &Arc<str>) {
        let Some(stream) = self.sessions.get_mut(session) else { return };
        stream.end();
        if !stream.is_open() {
            self.forget(session);
        }
    }

    fn forget(&mut self, session: &Arc<str>) {
        if let Some(stream) = self.sessions.remove(session) {
            self.release(stream.bytes());
        }
    }

    fn wake_writers(&mut self) {
        self.writers.drain(..).for_each(Waker::wake);
    }
}
