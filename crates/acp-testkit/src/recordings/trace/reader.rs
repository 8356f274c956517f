//! Events of a trace that become records.

use std::io::{self, BufRead};
use std::time::{Duration, UNIX_EPOCH};

use acp_json::Node;
use acp_rpc::tap::{Direction, Record, Recording};

use super::{CLIENT, MCP, TraceError};

/// A trace as a recording of the client's connection: an iterator over its records, which it reads
/// one by one.
///
/// A trace may show a chain of components, and a recording has one connection. It is that of the
/// first event, which is the client's. A time is that since the start of the trace, as if it had
/// been in 1970. A message of MCP is that of an `mcp/message` without `connectionId`, which traces
/// lack.
#[derive(Debug)]
pub struct TraceReader<R> {
    from: R,
    line: u64,
    buffer: Vec<u8>,
    /// The client and the other end of its connection.
    ends: Option<(String, String)>,
    left_out: u64,
    has_failed: bool,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads a trace from any reader.
    pub const fn new(from: R) -> Self {
        Self { from, line: 0, buffer: Vec::new(), ends: None, left_out: 0, has_failed: false }
    }

    /// Returns the number of events so far that belong to other connections.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    fn read(&mut self) -> Result<Option<Record>, TraceError> {
        loop {
            self.buffer.clear();
            self.line += 1;
            if self.from.read_until(b'\n', &mut self.buffer).map_err(TraceError::Io)? == 0 {
                return Ok(None);
            }
            if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            let malformed = |problem| TraceError::Malformed { line: self.line, problem };
            let event =
                acp_json::parse_slice(self.buffer.trim_ascii()).map_err(|_| malformed("it is not JSON"))?;
            let text = |name: &str| event.get(name).and_then(Node::as_str);
            let (Some(from), Some(to)) = (text("from"), text("to")) else {
                return Err(malformed("`from` and `to` must be strings"));
            };
            let (client, other) = self.ends.get_or_insert_with(|| {
                let (client, other) = if to.eq_ignore_ascii_case(CLIENT) { (to, from) } else { (from, to) };
                (client.to_owned(), other.to_owned())
            });
            let direction = match (from, to) {
                (from, to) if from == client && to == other => Direction::Out,
                (from, to) if from == other && to == client => Direction::In,
                _ => {
                    self.left_out += 1;
                    continue;
                }
            };
            return record(&event, direction).map(Some).map_err(malformed);
        }
    }
}

impl<R: BufRead> Iterator for TraceReader<R> {
    type Item = Result<Record, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let record = self.read();
        self.has_failed = matches!(record, Err(TraceError::Io(_)));
        record.transpose()
    }
}

fn record(event: &Node<'_>, direction: Direction) -> Result<Record, &'static str> {
    let seconds = event.get("ts").and_then(Node::as_f64).filter(|seconds| *seconds >= 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.map(|time| {
        Duration::from_micros((time.as_nanos() / 1000 + u128::from(time.subsec_nanos() % 1000 >= 500)) as u64)
    });
    let time =
        time.and_then(|time| UNIX_EPOCH.checked_add(time)).ok_or("`ts` must be a number of seconds")?;
    let line = message(event)?;
    let mut written = Vec::new();
    Record::write_line(&mut written, time, direction, line.as_bytes(), None);
    let record = Recording::new(io::Cursor::new(written)).next();
    record.and_then(Result::ok).ok_or("its `id` must be a string, a 64-bit integer or null")
}

/// Returns the message of an event as it may have been on the wire.
fn message(event: &Node<'_>) -> Result<String, &'static str> {
    let part = |name: &str| event.get(name).map(acp_json::to_string);
    let id = part("id").map(|id| format!(r#","id":{id}"#));
    let kind = event.get("type").and_then(Node::as_str).unwrap_or_default();
    match kind {
        "request" | "notification" => {
            let mut method = part("method").ok_or("`method` is missing")?;
            let given = event.get("params").filter(|params| !params.is_null()).map(acp_json::to_string);
            let mut params = given.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
            if event.get("protocol").and_then(Node::as_str) == Some("mcp") {
                params = format!(r#","params":{{"method":{method}{params}}}"#);
                method = format!("\"{MCP}\"");
            }
            let id = match (kind, id) {
                ("request", id) => id.ok_or("`id` is missing")?,
                _ => String::new(),
            };
            Ok(format!(r#"{{"jsonrpc":"2.0"{id},"method":{method}{params}}}"#))
        }
        "response" => {
            let name =
                if event.get("is_error").and_then(Node::as_bool) == Some(true) { "error" } else { "result" };
            let payload = part("payload").ok_or("`payload` is missing")?;
            let id = id.ok_or("`id` is missing")?;
            Ok(format!(r#"{{"jsonrpc":"2.0"{id},"{name}":{payload}}}"#))
        }
        _ => Err("`type` must be request, response or notification"),
    }
}
