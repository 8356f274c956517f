//! Records that become events of a trace.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::SystemTime;

use acp_json::Node;
use acp_rpc::tap::{Direction, Entry, Kind, Record};

use super::{AGENT, CLIENT, MCP};
use crate::recordings::sides::client_of;

/// The records that are kept until one tells which side is the client.
const AHEAD: usize = 64;

/// Writes a trace, record by record.
#[derive(Debug)]
pub struct TraceWriter<W> {
    to: W,
    client: Option<Direction>,
    start: Option<SystemTime>,
    /// Records from before the sides were known.
    waiting: Vec<Entry>,
    left_out: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Writes to any writer, an event in each write.
    pub const fn new(to: W) -> Self {
        Self { to, client: None, start: None, waiting: Vec::new(), left_out: 0 }
    }

    /// Adds a record. Lines that are not messages, and messages without their text, have no place
    /// in a trace and are left out.
    ///
    /// # Errors
    /// Fails if the writer fails.
    pub fn add(&mut self, record: Record) -> io::Result<()> {
        let entry = match record {
            Record::Line(entry) => entry,
            Record::Dropped { count, .. } => {
                self.left_out += count;
                return Ok(());
            }
            _ => return Ok(()),
        };
        if self.client.is_none() {
            self.client = client_of(&entry);
            self.waiting.push(entry);
            return if self.client.is_some() || self.waiting.len() >= AHEAD { self.flush() } else { Ok(()) };
        }
        self.event(&entry)
    }

    /// Writes what waits, and returns the number of lines that were left out.
    ///
    /// # Errors
    /// Fails if the writer fails.
    pub fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        self.to.flush()?;
        Ok(self.left_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.client.get_or_insert(Direction::Out);
        for entry in std::mem::take(&mut self.waiting) {
            self.event(&entry)?;
        }
        Ok(())
    }

    fn event(&mut self, entry: &Entry) -> io::Result<()> {
        let start = *self.start.get_or_insert(entry.time);
        let time = entry.time.duration_since(start).unwrap_or_default();
        let is_client = Some(entry.direction) == self.client;
        let (from, to) = if is_client { (CLIENT, AGENT) } else { (AGENT, CLIENT) };
        let mut event =
            format!(r#"{{"ts":{}.{:06},"from":"{from}","to":"{to}""#, time.as_secs(), time.subsec_micros());
        let written = entry.body.as_ref().and_then(|body| members(entry.kind, body.as_node(), &mut event));
        if written.is_none() {
            self.left_out += 1;
            return Ok(());
        }
        event.push_str("}\n");
        self.to.write_all(event.as_bytes())
    }
}

/// Adds the members of a kind of message. Returns `None` for a line without a place in a trace.
fn members(kind: Kind, body: &Node<'_>, event: &mut String) -> Option<()> {
    let id = body.get("id").map_or_else(|| "null".to_owned(), acp_json::to_string);
    match kind {
        Kind::Request | Kind::Notification => {
            let is_request = kind == Kind::Request;
            let (mut method, mut params) = (body.get("method")?.as_str()?, body.get("params"));
            let inner = params.filter(|_| method == MCP);
            let inner = inner.and_then(|inner| Some((inner.get("method")?.as_str()?, inner.get("params"))));
            let session =
                params.and_then(|params| params.get("sessionId")).filter(|id| id.as_str().is_some());
            let session = session.map(acp_json::to_string);
            let protocol = if inner.is_some() { "mcp" } else { "acp" };
            if let Some((inner, its)) = inner {
                (method, params) = (inner, its);
            }
            let method = acp_json::to_string(&Node::Str(method.into()));
            let (name, id) = if is_request {
                ("request", format!(r#","id":{id}"#))
            } else {
                ("notification", String::new())
            };
            let _ = write!(event, r#","type":"{name}","protocol":"{protocol}"{id},"method":{method}"#);
            if let Some(session) = session {
                let _ = write!(event, r#","session":{session}"#);
            }
            let params = params.map_or_else(|| "null".to_owned(), acp_json::to_string);
            let _ = write!(event, r#","params":{params}"#);
        }
        Kind::Result | Kind::Error(_) => {
            let is_error = kind != Kind::Result;
            let payload = body.get(if is_error { "error" } else { "result" })?;
            let payload = acp_json::to_string(payload);
            let _ =
                write!(event, r#","type":"response","id":{id},"is_error":{is_error},"payload":{payload}"#);
        }
        _ => return None,
    }
    Some(())
}
