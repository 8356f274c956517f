//! Scripts that are made from recordings.

use acp_rpc::tap::{Direction, Entry, Kind, Record, RecordingError};
use serde_json::{Value, json};

use super::error::RecordedError;
use super::ids::Ids;
use super::requests::Requests;
use super::written::Writer;
use super::{Mock, Side};

const HEAD: &str = "\
Made from a recording. A side sends what it has sent there, and expects what has come.
Members that are not named may be there; add a `?` to the name of one that may be left out.
See https://github.com/acp-rs/acp/blob/main/docs/check/MOCK.md";

impl Mock {
    /// Writes a script in TOML that plays one side of a recording. The ids of sessions, tool calls,
    /// terminals and so on are normalised: the script's own are counted, and those of the other
    /// side are taken from its messages.
    ///
    /// # Errors
    /// Fails if the recording cannot be read, has gaps, does not tell the sides apart, or lacks the
    /// text of a line to send.
    pub fn script_from(
        recording: impl IntoIterator<Item = Result<Record, RecordingError>>,
        side: Side,
    ) -> Result<String, RecordedError> {
        let mut entries = Vec::new();
        for record in recording {
            match record.map_err(RecordedError::Recording)? {
                Record::Line(entry) => entries.push(entry),
                Record::Dropped { count, .. } => return Err(RecordedError::Gap { count }),
                // A record of another kind has no line.
                _ => {}
            }
        }
        let ours = direction(&entries, side).ok_or(RecordedError::NoInitialize)?;
        let requests = Requests::read(&entries);
        let mut script = Script { ids: Ids::default(), requests, writer: Writer::new(HEAD) };
        for (at, entry) in entries.iter().enumerate() {
            if entry.direction == ours {
                script.send(at, entry)?;
            } else {
                script.expect(at, entry);
            }
        }
        Ok(script.writer.finish())
    }
}

/// Returns the direction of a side's lines.
fn direction(entries: &[Entry], side: Side) -> Option<Direction> {
    let is_first =
        |entry: &&Entry| entry.kind == Kind::Request && entry.method.as_deref() == Some("initialize");
    let client = entries.iter().find(is_first)?.direction;
    Some(match (side, client) {
        (Side::Client, direction) => direction,
        (Side::Agent, Direction::In) => Direction::Out,
        (Side::Agent, Direction::Out) => Direction::In,
    })
}

/// A script under way.
struct Script {
    ids: Ids,
    requests: Requests,
    writer: Writer,
}

impl Script {
    /// Writes the step that sends a line.
    fn send(&mut self, at: usize, entry: &Entry) -> Result<(), RecordedError> {
        let Some(body) = json_of(entry) else {
            // The text of a stray print is withheld, and nobody misses it.
            let is_print = entry.kind == Kind::NotJson;
            return if is_print { Ok(()) } else { Err(RecordedError::NoBody { record: at + 1 }) };
        };
        let method = entry.method.as_deref().unwrap_or_default();
        let (own, answered) = self.requests.names(at);
        match (entry.kind, body.get("result"), body.get("error")) {
            (Kind::Request, ..) => {
                let params = self.params(at, &body, true);
                let step = self.writer.step("request", method);
                step.maybe("params", params.as_deref()).maybe("as", own.as_deref());
            }
            (Kind::Notification, ..) => {
                let params = self.params(at, &body, true);
                self.writer.step("notify", method).maybe("params", params.as_deref());
            }
            (Kind::Result, Some(result), _) if self.requests.is_answer(at) => {
                let result = self.ids.sent(result);
                self.writer.json_step("answer", &result).maybe("to", answered.as_deref());
            }
            (Kind::Error(_), _, Some(error)) if self.requests.is_answer(at) => {
                let error = self.ids.sent(error);
                self.writer.json_step("fail", &error).maybe("to", answered.as_deref());
            }
            _ => {
                let text = match &body {
                    Value::String(text) if entry.kind == Kind::NotJson => text.clone(),
                    body => body.to_string(),
                };
                self.writer.step("raw", &format!("{text}\n"));
            }
        }
        Ok(())
    }

    /// Writes the step that expects a line. Lines that are not messages are not expected.
    fn expect(&mut self, at: usize, entry: &Entry) {
        let body = json_of(entry).unwrap_or_default();
        let method = entry.method.as_deref().unwrap_or_default();
        let (own, answered) = self.requests.names(at);
        match entry.kind {
            Kind::Request | Kind::Notification => {
                let params = self.params(at, &body, false);
                let step = self.writer.step("expect", method);
                step.maybe("params", params.as_deref()).maybe("as", own.as_deref());
            }
            Kind::Result if self.requests.is_answer(at) => {
                let result = body.get("result").map_or("${_}".into(), |result| self.ids.expected(result));
                self.writer.json_step("result", &result).maybe("of", answered.as_deref());
            }
            Kind::Error(code) if self.requests.is_answer(at) => {
                self.writer.json_step("error", &code.into()).maybe("of", answered.as_deref());
            }
            _ => {}
        }
    }

    /// Returns the params of a call as JSON.
    fn params(&mut self, at: usize, body: &Value, is_sent: bool) -> Option<String> {
        let params = body.get("params")?;
        let mut params = if is_sent { self.ids.sent(params) } else { self.ids.expected(params) };
        let is_first = body.get("method").is_some_and(|method| method == "initialize");
        if let (true, false, Some(version)) = (is_first, is_sent, params.get("protocolVersion")) {
            // Capabilities are not what a script is about.
            params = json!({"protocolVersion": version});
        }
        if let (Some(name), Some(id)) = (self.requests.cancelled(at), params.get_mut("requestId")) {
            *id = format!("${{{name}}}").into();
        }
        Some(params.to_string())
    }
}

/// Returns the JSON of a line, if it was recorded.
pub(super) fn json_of(entry: &Entry) -> Option<Value> {
    serde_json::from_str(&acp_json::to_string(entry.body.as_ref()?)).ok()
}
