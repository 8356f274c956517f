//! Decoding every line of every recording.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use acp_json::{Node, NoteKind, Report};
use acp_types::method::{Kind, MethodInfo, Side};
use acp_types::v1::methods::METHODS;

use super::loss::{Loss, compare};
use super::message::{Body, Id, Message};
use super::recording::{Direction, Recorded, files};
use super::summary::{Counts, Finding, Summary, Unreadable};
use crate::definition::{Definition, Failure};
use crate::schema::CanonicalSchema;

/// Decodes the recordings `*.ndjson` of a folder, in both directions, with the types of v1:
/// envelopes, params by method, results by the request that they answer. Each message that was read
/// is written again and compared.
///
/// # Errors
/// Fails if the folder, a recording or the canonical schema cannot be read.
pub fn decode(folder: &Path) -> io::Result<Summary> {
    let schema = CanonicalSchema::load("v1")?;
    let mut summary = Summary::default();
    for path in files(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut check = Check {
            schema: &schema,
            summary: &mut summary,
            counts: Counts::default(),
            asked: HashMap::new(),
            place: String::new(),
        };
        for (index, line) in BufReader::new(File::open(&path)?).lines().enumerate() {
            check.place = format!("{name}:{}", index + 1);
            check.line(&line?);
        }
        let counts = check.counts;
        summary.file(name, counts);
    }
    Ok(summary)
}

/// The state of one recording.
struct Check<'c> {
    schema: &'c CanonicalSchema,
    summary: &'c mut Summary,
    counts: Counts,
    /// Requests without an answer so far, by direction and id: each side has ids of its own.
    asked: HashMap<(Direction, Id), Asked>,
    /// The line that is being decoded, as `file:line`.
    place: String,
}

/// The request that an answer belongs to.
enum Asked {
    Protocol { method: &'static str, response: &'static str },
    Extension(String),
}

impl Check<'_> {
    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.counts.lines += 1;
        match acp_json::from_str::<Recorded>(line) {
            Ok(recorded) => self.message(recorded.direction, &recorded.line),
            Err(error) => self.refused("recording", error.to_string(), false),
        }
    }

    fn message(&mut self, direction: Direction, line: &str) {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(reason) => return self.refused("envelope", reason, false),
        };
        for name in &message.extra {
            self.summary.found(Finding::Ignored, &format!("envelope  {name}"));
        }
        match message.body {
            Body::Request { id, method, params } => self.request(direction, id, &method, params),
            Body::Notification { method, params } => match known(direction, Kind::Notification, &method) {
                Some(info) => {
                    let read = self.payload(&format!("{method} params"), info.params, params);
                    self.counts.notifications += usize::from(read);
                }
                None => self.extension(direction, "notification", &method),
            },
            Body::Success { id, result } => self.result(direction, id, result),
            Body::Failure { id, error } => self.error(direction, id, error),
        }
    }

    fn request(&mut self, direction: Direction, id: Id, method: &str, params: Node<'_>) {
        let known = known(direction, Kind::Request, method);
        let asked = match known.and_then(|info| Some((info.name, info.response?))) {
            Some((method, response)) => Asked::Protocol { method, response },
            None => Asked::Extension(method.to_owned()),
        };
        self.asked.insert((direction, id), asked);
        match known {
            Some(info) => {
                let read = self.payload(&format!("{method} params"), info.params, params);
                self.counts.requests += usize::from(read);
            }
            None => self.extension(direction, "request", method),
        }
    }

    fn result(&mut self, direction: Direction, id: Id, result: Node<'_>) {
        match self.asked.remove(&(direction.back(), id)) {
            Some(Asked::Protocol { method, response }) => {
                let read = self.payload(&format!("{method} result"), response, result);
                self.counts.results += usize::from(read);
            }
            Some(Asked::Extension(method)) => self.extension(direction, "result", &method),
            None => self.summary.found(Finding::Unasked, &format!("result {}", direction.name())),
        }
    }

    fn error(&mut self, direction: Direction, id: Id, error: Node<'_>) {
        let method = match self.asked.remove(&(direction.back(), id)) {
            Some(Asked::Protocol { method, .. }) => method.to_owned(),
            Some(Asked::Extension(method)) => method,
            None => "no recorded request".to_owned(),
        };
        let code = error.get("code").and_then(Node::as_i64);
        if self.payload(&format!("{method} error"), "Error", error) {
            self.counts.errors += 1;
            let code =
                code.map_or_else(|| "a code that is not an integer".to_owned(), |code| code.to_string());
            self.summary.found(Finding::Error, &format!("{method}  {code}"));
        }
    }

    fn extension(&mut self, direction: Direction, kind: &str, method: &str) {
        self.counts.extensions += 1;
        self.summary.found(Finding::Extension, &format!("{kind} {}  {method}", direction.name()));
    }

    /// Reads, writes and compares one payload. Returns true if it could be read.
    fn payload(&mut self, part: &str, definition: &str, node: Node<'_>) -> bool {
        let sent = node.clone();
        let mut report = Report::default();
        let round_trip = Definition::find("v1", definition)
            .and_then(|definition| definition.round_trip(node, &mut report))
            .and_then(|text| acp_json::from_str::<acp_json::Value>(&text).map_err(Failure::Read));
        let written = match round_trip {
            Ok(written) => written.into_node(),
            Err(failure) => {
                let valid =
                    serde_json::to_value(&sent).is_ok_and(|json| self.schema.accepts(definition, &json));
                self.refused(part, failure.to_string(), valid);
                return false;
            }
        };
        for note in report.notes() {
            let finding = match &note.kind {
                NoteKind::Ignored => Finding::Ignored,
                NoteKind::Defaulted(_) => Finding::Defaulted,
                NoteKind::Skipped(_) => Finding::Skipped,
                _ => continue,
            };
            let problem = note.reason().map(|reason| format!(": {reason}")).unwrap_or_default();
            self.summary.found(finding, &format!("{part}  {}{problem}", note.path));
        }
        compare(&sent, &written, report.notes(), &mut |path, loss| match loss {
            Loss::Changed => self.summary.found(Finding::Changed, &format!("{part}  {path}")),
            Loss::EqualToAbsence(what) => {
                self.summary.found(Finding::EqualToAbsence, &format!("{part}  {path} = {what}"));
            }
        });
        true
    }

    fn refused(&mut self, part: &str, reason: String, valid: bool) {
        self.counts.unreadable += 1;
        let (place, part) = (self.place.clone(), part.to_owned());
        self.summary.refused(Unreadable { place, part, reason, valid });
    }
}

/// Returns the method that a message of this direction and kind belongs to.
fn known(direction: Direction, kind: Kind, method: &str) -> Option<&'static MethodInfo> {
    let handler = match direction {
        Direction::ToAgent => Side::Agent,
        Direction::ToClient => Side::Client,
    };
    METHODS.iter().find(|info| {
        info.name == method && info.kind == kind && (info.handler == handler || info.handler == Side::Both)
    })
}
