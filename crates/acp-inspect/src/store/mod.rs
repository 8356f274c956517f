//! The messages of a connection: lines in a file, and a small index in memory.

pub(crate) mod entry;
mod ingest;
mod links;
mod message;
pub(crate) mod names;
pub(crate) mod rules;
mod servers;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use acp_testkit::recordings::Direction;
use tempfile::TempPath;
use tokio::sync::watch;

use self::entry::{Entry, Kind, Marks};
use self::message::Facts;
use self::names::Names;
use self::rules::Judged;
use self::servers::Servers;

pub use self::ingest::RecordSink;
pub use self::links::Links;

/// The lane between the client and the components of a chain.
const CONDUCTOR: &str = "conductor";
/// The most requests that may be without an answer. The answer of one more has no pair.
const MOST_PENDING: usize = 65_536;

/// The messages of one connection. Their lines stand in a temporary file, which its owner alone may
/// read and which goes with the store. Memory holds [`bytes_per_message`](Self::bytes_per_message)
/// for each.
///
/// Clones are the same store.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    file: File,
    /// The name of the file, where it cannot be without one. It goes with this.
    _path: Option<TempPath>,
    reader: Mutex<File>,
    state: Mutex<State>,
    seen: watch::Sender<Seen>,
    judged: Mutex<Judged>,
}

/// The growth of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The number of messages.
    pub messages: u64,
    /// The number of lines that the recorder had no room for.
    pub lost: u64,
    /// True after the end of the connection.
    pub ended: bool,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) entries: Vec<Entry>,
    pub(crate) methods: Names,
    pub(crate) sessions: Names,
    pub(crate) updates: Names,
    /// The direction of the client's lines, once a message has told it.
    pub(crate) client: Option<Direction>,
    /// The version that the agent has answered with.
    pub(crate) version: Option<u64>,
    /// The number of the `initialize` that the agent has accepted last, or of the first one.
    pub(crate) initialize: Option<u64>,
    pub(crate) start: Option<SystemTime>,
    /// The requests for permission that were not answered.
    pub(crate) asks: BTreeSet<u32>,
    /// The names of the connections of a chain. The first is the client's.
    links: Vec<String>,
    /// The MCP servers of a connection that is not of a chain.
    servers: Servers,
    pending: HashMap<(u8, bool, String), u32>,
    end: u64,
}

fn is_for_server(method: &str) -> bool {
    method.starts_with("mcp/")
}

impl State {
    /// Returns the entry of a message. The first has number 1.
    pub(crate) fn entry(&self, seq: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(seq.checked_sub(1)?).ok()?)
    }

    /// Adds the connection to a component, or to the client, and returns its number. Components
    /// beyond the most that there may be have one number.
    fn add_link(&mut self, component: Option<&str>) -> u8 {
        if self.links.is_empty() {
            self.links.push("client".to_owned());
        }
        let Some(name) = component else { return 1 };
        let most = usize::from(Marks::MOST_LINKS);
        if self.links.len() < most {
            let known = |lane: &str| lane == CONDUCTOR || self.links.iter().any(|known| known == lane);
            let numbered = (2_usize..).map(|number| format!("{name} {number}"));
            let lane = std::iter::once(name.to_owned()).chain(numbered).find(|lane| !known(lane));
            self.links
                .push(lane.filter(|_| self.links.len() + 1 < most).unwrap_or_else(|| "(other)".to_owned()));
        }
        u8::try_from(self.links.len()).unwrap_or(Marks::MOST_LINKS)
    }

    /// Returns the lanes, from the left to the right.
    pub(crate) fn lanes(&self) -> Vec<&str> {
        match self.links.split_first() {
            None => ["client", "agent"].into_iter().chain(self.servers.lanes()).collect(),
            Some((client, components)) => [client.as_str(), CONDUCTOR]
                .into_iter()
                .chain(components.iter().map(String::as_str))
                .collect(),
        }
    }

    /// Returns the lanes that a message goes between. Without a chain, methods of `mcp/` are for a
    /// server of MCP that the client lends to the agent.
    pub(crate) fn ends(&self, entry: &Entry) -> (&str, &str) {
        let number = entry.marks.link();
        let peer = usize::from(number).checked_sub(1).and_then(|at| self.links.get(at)).map(String::as_str);
        match peer {
            None => {
                let is_for_server = self.methods.name(entry.method).is_some_and(is_for_server);
                let far = if is_for_server { self.servers.lane(number) } else { "client" };
                if self.is_of_client(entry) { (far, "agent") } else { ("agent", far) }
            }
            Some(peer) if entry.marks.has(Marks::OUT) => (CONDUCTOR, peer),
            Some(peer) => (peer, CONDUCTOR),
        }
    }

    /// Returns true for a message between the client and its agent, which may be a whole chain.
    pub(crate) const fn is_in_front(&self, entry: &Entry) -> bool {
        self.links.is_empty() || entry.marks.link() <= 1
    }

    /// Returns true if the connection is known from its beginning on.
    pub(crate) fn has_beginning(&self) -> bool {
        self.entry(1).is_some_and(|entry| {
            entry.kind == Kind::Request
                && self.is_in_front(entry)
                && self.methods.name(entry.method) == Some("initialize")
        })
    }

    /// Returns true for a message of the client.
    pub(crate) fn is_of_client(&self, entry: &Entry) -> bool {
        entry.marks.has(Marks::OUT) == (self.client.unwrap_or(Direction::Out) == Direction::Out)
    }

    /// Returns the time of a message.
    pub(crate) fn time(&self, entry: &Entry) -> SystemTime {
        self.start.unwrap_or(SystemTime::UNIX_EPOCH) + Duration::from_micros(entry.micros)
    }
}

impl Store {
    /// The most memory of the index for one message. Names of methods, sessions and kinds of
    /// updates are kept once, and their number is bounded.
    pub const fn bytes_per_message() -> usize {
        size_of::<Entry>()
    }

    /// Creates an empty store.
    ///
    /// # Errors
    /// Fails if there can be no temporary file.
    pub fn new() -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix("acp-inspect-").tempfile()?;
        let reader = Mutex::new(file.reopen()?);
        let (file, path) = file.into_parts();
        // A file without a name goes with its process, however that ends.
        let path = (!cfg!(unix)).then_some(path);
        let shared = Shared {
            file,
            _path: path,
            reader,
            state: Mutex::default(),
            seen: watch::Sender::default(),
            judged: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Adds a line of the connection.
    ///
    /// # Errors
    /// Fails if the file cannot be written. The line is not there, and the store goes on.
    pub fn append(&self, time: SystemTime, direction: Direction, line: &[u8]) -> io::Result<()> {
        self.append_on(0, time, direction, line)
    }

    fn append_on(&self, link: u8, time: SystemTime, direction: Direction, line: &[u8]) -> io::Result<()> {
        let facts = Facts::read(line);
        let mut state = self.lock();
        let length = u32::try_from(line.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        // Readers have an offset of their own.
        let mut file = &self.shared.file;
        file.seek(SeekFrom::Start(state.end))?;
        file.write_all(line)?;
        let offset = state.end;
        state.end += u64::from(length);
        state.add(facts, time, (link, direction), offset, length);
        let messages = state.entries.len() as u64;
        drop(state);
        self.shared.seen.send_modify(|seen| seen.messages = messages);
        Ok(())
    }

    /// Takes note of lines that are missing.
    pub fn lost(&self, lines: u64) {
        self.shared.seen.send_modify(|seen| seen.lost += lines);
    }

    /// Takes note of the end of the connection.
    pub fn end(&self) {
        self.shared.seen.send_modify(|seen| seen.ended = true);
    }

    /// Returns the growth so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        *self.shared.seen.borrow()
    }

    /// Returns a receiver that learns of each growth.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Seen> {
        self.shared.seen.subscribe()
    }

    /// Returns the bytes of memory that the index takes now, without those of requests that wait.
    #[must_use]
    pub fn index_bytes(&self) -> usize {
        let state = self.lock();
        let names = state.methods.bytes() + state.sessions.bytes() + state.updates.bytes();
        state.entries.len() * size_of::<Entry>() + names
    }

    /// Reads at most `most` bytes of a line.
    pub(crate) fn line(&self, entry: &Entry, most: usize) -> io::Result<Vec<u8>> {
        let mut line = vec![0; (entry.length as usize).min(most)];
        let mut reader = self.shared.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.seek(SeekFrom::Start(entry.offset))?;
        reader.read_exact(&mut line)?;
        Ok(line)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // No code under this lock can panic half-way.
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, facts: Facts, time: SystemTime, on: (u8, Direction), offset: u64, length: u32) {
        let (link, direction) = on;
        let is_in_front = link <= 1;
        let mut lane = link;
        if self.links.is_empty() {
            for (id, name) in &facts.servers {
                self.servers.declare(id.clone(), name);
            }
            if facts.method.as_deref().is_some_and(is_for_server) {
                lane = self.servers.number(facts.server.as_deref());
            }
        }
        let start = *self.start.get_or_insert(time);
        let micros = time.duration_since(start).unwrap_or_default().as_micros();
        let is_out = direction == Direction::Out;
        let seq = u32::try_from(self.entries.len() + 1).unwrap_or(u32::MAX);
        if self.client.is_none() && is_in_front {
            self.client = facts.client(direction);
        }
        let mut entry = Entry {
            offset,
            micros: u64::try_from(micros).unwrap_or(u64::MAX),
            length,
            pair: 0,
            method: self.methods.number(facts.method.as_deref()),
            session: self.sessions.number(facts.session.as_deref()),
            update: self.updates.number(facts.update.as_deref()),
            kind: facts.kind,
            marks: Marks::default()
                .with(Marks::OUT, is_out)
                .with(Marks::ERROR, facts.is_error)
                .with(Marks::JSON, facts.is_json)
                .on(lane),
        };
        match (facts.kind, facts.id) {
            (Kind::Request, Some(id)) if self.pending.len() < MOST_PENDING => {
                if facts.method.as_deref() == Some("initialize") && is_in_front {
                    self.initialize.get_or_insert(u64::from(seq));
                }
                if facts.method.as_deref() == Some("session/request_permission") && is_in_front {
                    self.asks.insert(seq);
                }
                self.pending.insert((link, is_out, id), seq);
            }
            (Kind::Response, Some(id)) => {
                if let Some(request) = self.pending.remove(&(link, !is_out, id)) {
                    self.answer(&mut entry, request, seq);
                    let is_initialize = self.methods.name(entry.method) == Some("initialize");
                    if is_initialize && is_in_front && facts.version.is_some() {
                        self.initialize = Some(u64::from(request));
                        self.version = facts.version;
                    }
                }
            }
            _ => {}
        }
        self.entries.push(entry);
    }

    /// Pairs a response with its request.
    fn answer(&mut self, response: &mut Entry, request: u32, seq: u32) {
        let at = (request as usize).saturating_sub(1);
        let Some(asked) = self.entries.get_mut(at) else { return };
        asked.pair = seq;
        self.asks.remove(&request);
        response.pair = request;
        response.method = asked.method;
        if self.links.is_empty() {
            // The answer of a server stands in its lane.
            response.marks = response.marks.on(asked.marks.link());
        }
        if response.session == 0 {
            response.session = asked.session;
        }
    }
}
