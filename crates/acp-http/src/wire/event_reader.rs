//! Server-sent events, as they are read.

use acp_json::{Node, Outline};
use acp_rpc::Id;
use memchr::{memchr, memchr2};

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The most bytes that are kept of the name of a field, and of an event. Names that count are
/// shorter.
const LONGEST_NAME: usize = 16;
/// The longest id of an event that is kept, in bytes.
const LONGEST_ID: usize = 256;

/// Cuts a body into events. It keeps at most one message.
#[derive(Debug)]
pub(crate) struct EventReader {
    limit: usize,
    place: Place,
    /// The name of the field that is being read, and of the event that it belongs to.
    name: Vec<u8>,
    event: Vec<u8>,
    data: Vec<u8>,
    /// The event has a field `data`.
    has_data: bool,
    /// A message beyond the limit, on its way past.
    skipped: Option<Outline<5>>,
    id: Vec<u8>,
    /// The id of the last event that is complete.
    last: Option<String>,
    /// The comment that is being read.
    comment: Vec<u8>,
    /// The code with which the connection has ended.
    close_code: Option<u16>,
    /// The last byte was a carriage return, so a line feed belongs to it.
    was_return: bool,
    is_first_line: bool,
    /// Something came after the last event.
    is_within: bool,
}

/// The place within a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Name,
    AfterColon(Field),
    Value(Field),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Id,
    Comment,
    Other,
}

/// An event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Message(Vec<u8>),
    /// A message that is longer than the limit. `id` is that of a request, or of an answer.
    Oversized {
        id: Option<Id>,
        is_call: bool,
    },
    /// An event of another name. They are not for messages.
    Unknown,
}

impl EventReader {
    /// Creates a reader of messages of up to `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            place: Place::Name,
            name: Vec::new(),
            event: Vec::new(),
            data: Vec::new(),
            has_data: false,
            skipped: None,
            id: Vec::new(),
            last: None,
            comment: Vec::new(),
            close_code: None,
            was_return: false,
            is_first_line: true,
            is_within: false,
        }
    }

    /// Returns the id of the last complete event that had one, also of those before.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Returns true within an event. If the body ends there, a part of it is lost.
    pub(crate) const fn is_within_event(&self) -> bool {
        self.is_within
    }

    /// Returns the code with which the connection has ended, if a comment said so.
    pub(crate) const fn close_code(&self) -> Option<u16> {
        self.close_code
    }

    /// Takes bytes up to the end of an event. `bytes` becomes what is left of them.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Option<Event> {
        loop {
            if std::mem::take(&mut self.was_return) {
                match bytes.split_first() {
                    Some((b'\n', rest)) => *bytes = rest,
                    Some(_) => {}
                    None => {
                        self.was_return = true;
                        return None;
                    }
                }
            }
            let Some(end) = memchr2(b'\r', b'\n', bytes) else {
                self.feed(bytes);
                *bytes = &[];
                return None;
            };
            let (line, rest) = bytes.split_at(end);
            self.feed(line);
            self.was_return = rest.first() == Some(&b'\r');
            *bytes = rest.get(1..).unwrap_or_default();
            if let Some(event) = self.end_line() {
                return Some(event);
            }
        }
    }

    /// Takes a part of a line.
    fn feed(&mut self, mut part: &[u8]) {
        while let Some(first) = part.first() {
            match self.place {
                Place::Name => {
                    let colon = memchr(b':', part);
                    let name = part.get(..colon.unwrap_or(part.len())).unwrap_or(part);
                    keep(&mut self.name, name, LONGEST_NAME);
                    part = colon.and_then(|colon| part.get(colon + 1..)).unwrap_or_default();
                    if colon.is_some() {
                        self.place = Place::AfterColon(self.field());
                    }
                }
                Place::AfterColon(field) => {
                    if *first == b' ' {
                        part = part.get(1..).unwrap_or_default();
                    }
                    self.begin(field);
                }
                Place::Value(field) => {
                    match field {
                        Field::Data => self.add(part),
                        Field::Event => keep(&mut self.event, part, LONGEST_NAME),
                        Field::Id => keep(&mut self.id, part, LONGEST_ID + 1),
                        Field::Comment => keep(&mut self.comment, part, LONGEST_NAME),
                        Field::Other => {}
                    }
                    return;
                }
            }
        }
    }

    /// Returns the field whose name has been read.
    fn field(&mut self) -> Field {
        let mut name = self.name.as_slice();
        if std::mem::take(&mut self.is_first_line) {
            name = name.strip_prefix(BOM).unwrap_or(name);
        }
        match name {
            b"data" => Field::Data,
            b"event" => Field::Event,
            b"id" => Field::Id,
            b"" => Field::Comment,
            _ => Field::Other,
        }
    }

    /// Begins the value of a field.
    fn begin(&mut self, field: Field) {
        match field {
            Field::Data if self.has_data => self.add(b"\n"),
            Field::Data => self.has_data = true,
            Field::Event => self.event.clear(),
            Field::Id => self.id.clear(),
            Field::Comment => self.comment.clear(),
            Field::Other => {}
        }
        self.is_within |= !matches!(field, Field::Comment | Field::Other);
        self.place = Place::Value(field);
    }

    fn add(&mut self, part: &[u8]) {
        if self.skipped.is_none() && part.len() > self.limit.saturating_sub(self.data.len()) {
            let mut skipped = Outline::of(["id", "method", "params", "result", "error"]);
            skipped.push(&std::mem::take(&mut self.data));
            self.skipped = Some(skipped);
        }
        match &mut self.skipped {
            Some(skipped) => skipped.push(part),
            None => self.data.extend_from_slice(part),
        }
    }

    fn end_line(&mut self) -> Option<Event> {
        let is_blank = self.place == Place::Name && {
            let name = self.name.as_slice();
            name.is_empty() || (self.is_first_line && name == BOM)
        };
        if !is_blank && let Place::Name = self.place {
            let field = self.field();
            self.begin(field);
        } else if let Place::AfterColon(field) = self.place {
            self.begin(field);
        }
        if self.place == Place::Value(Field::Comment)
            && let Some(code) = self.comment.strip_prefix(b"close ")
        {
            self.close_code = std::str::from_utf8(code).ok().and_then(|code| code.parse().ok());
        }
        self.is_first_line = false;
        self.place = Place::Name;
        self.name.clear();
        is_blank.then(|| self.end_event()).flatten()
    }

    fn end_event(&mut self) -> Option<Event> {
        self.is_within = false;
        let id = std::mem::take(&mut self.id);
        if (1..=LONGEST_ID).contains(&id.len())
            && let Ok(id) = String::from_utf8(id)
            && !id.contains('\0')
        {
            self.last = Some(id);
        }
        let event = std::mem::take(&mut self.event);
        let data = std::mem::take(&mut self.data);
        self.has_data = false;
        if let Some(skipped) = self.skipped.take() {
            let id = skipped.value("id").as_ref().and_then(|id: &Node<'_>| Id::from_node(id));
            return Some(Event::Oversized { id, is_call: skipped.has("method") || skipped.has("params") });
        }
        match event.as_slice() {
            _ if data.trim_ascii().is_empty() => None,
            b"" | b"message" => Some(Event::Message(data)),
            _ => Some(Event::Unknown),
        }
    }
}

/// Appends up to a length.
fn keep(buffer: &mut Vec<u8>, part: &[u8], most: usize) {
    let room = most.saturating_sub(buffer.len());
    buffer.extend_from_slice(part.get(..room).unwrap_or(part));
}
