//! The messages that a replay sends and expects, in order.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, SystemTime};

use acp_json::{Node, Value};

use super::rename::Renames;
use super::replayed::Replayed;
use super::{Direction, Entry, Kind};
use crate::wire::forms;
use crate::wire::message::{Error, Id};

#[derive(Default)]
pub(super) struct Script {
    steps: Vec<ScriptStep>,
    /// The first step that is neither sent nor received.
    at: usize,
    /// The live side's ids for its requests, by those that were recorded.
    ids: HashMap<Id, Id>,
    renames: Renames,
    /// The time of the line that was added last.
    last: Option<SystemTime>,
    sent: usize,
    unexpected: Vec<String>,
    /// The messages that have not come yet, by name: the numbers of their steps.
    open: HashMap<(What, String), VecDeque<usize>>,
}

/// The most requests of one method that are compared with one that comes.
const LOOK_AHEAD: usize = 64;

enum ScriptStep {
    Send(Box<Sending>),
    Expect(Box<Expected>),
}

struct Sending {
    body: Value,
    /// The time from the line before it to this one.
    pause: Duration,
    /// The recorded id of the request that it answers.
    answers: Option<Id>,
    /// The line is not JSON, but the text in `body`.
    is_text: bool,
}

struct Expected {
    what: What,
    /// The method, of a request or notification.
    name: String,
    id: Option<Id>,
    body: Option<Value>,
    has_come: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Request,
    Notification,
    Response,
    /// Not a message: not waited for, and never matched.
    Noise,
}

/// The next move of the script.
pub(super) enum Scripted {
    /// A line may be sent. In the recording it came so long after the line before it.
    Send(Duration),
    /// Something of the live side must come first.
    Waiting,
    /// The script has ended.
    Over,
}

impl Script {
    /// Adds a recorded line. The error names a line that has no text to send.
    pub(super) fn add(&mut self, entry: Entry, plays: Direction) -> Result<(), (Kind, Option<String>)> {
        let Entry { time, direction, kind, method, id, body, .. } = entry;
        let before = self.last.replace(time).unwrap_or(time);
        let what = match kind {
            Kind::Request => What::Request,
            Kind::Notification => What::Notification,
            Kind::Result | Kind::Error(_) => What::Response,
            Kind::Invalid | Kind::NotJson | Kind::Oversized => What::Noise,
        };
        if kind == Kind::NotJson && body.is_none() {
            // A stray print whose text was withheld. Its answer, if any, has no id, so nobody
            // misses it.
            return Ok(());
        }
        let step = if direction == plays {
            let body = body.ok_or((kind, method))?;
            let answers = id.filter(|_| what == What::Response);
            let (pause, is_text) = (time.duration_since(before).unwrap_or_default(), kind == Kind::NotJson);
            ScriptStep::Send(Box::new(Sending { body, pause, answers, is_text }))
        } else {
            let name = name_of(what, method.as_deref().unwrap_or_default(), id.as_ref());
            if what != What::Noise {
                self.open.entry((what, name.clone())).or_default().push_back(self.steps.len());
            }
            ScriptStep::Expect(Box::new(Expected { what, name, id, body, has_come: false }))
        };
        self.steps.push(step);
        Ok(())
    }

    /// Returns the next move.
    pub(super) fn next(&mut self) -> Scripted {
        loop {
            match self.steps.get(self.at) {
                None => return Scripted::Over,
                Some(ScriptStep::Expect(expected)) if !expected.has_come && expected.is_awaited() => {
                    return Scripted::Waiting;
                }
                Some(ScriptStep::Expect(_)) => self.at += 1,
                Some(ScriptStep::Send(sending)) => return Scripted::Send(sending.pause),
            }
        }
    }

    /// Writes the line that may be sent.
    pub(super) fn send(&mut self, output: &mut Vec<u8>) {
        if let Some(ScriptStep::Send(sending)) = self.steps.get(self.at) {
            sending.write(&self.ids, &self.renames, output);
            self.at += 1;
            self.sent += 1;
        }
    }

    /// Takes a line of the live side. Answers that are due at once go to the output.
    pub(super) fn receive(&mut self, line: &[u8], output: &mut Vec<u8>) {
        let Ok(message) = serde_json::from_slice::<Node<'_>>(line) else {
            return self.unexpected.push("a line that is not JSON".to_owned());
        };
        let id = message.get("id").and_then(Id::from_node);
        let method = message.get("method").and_then(Node::as_str);
        let what = match (&method, &id) {
            (Some(_), Some(_)) => What::Request,
            (Some(_), None) => What::Notification,
            (None, _) => What::Response,
        };
        // The answer to a message without a usable id was recorded without an id.
        let id = id.filter(|id| what != What::Response || *id != Id::Null);
        let method = method.unwrap_or_default();
        let name = name_of(what, method, id.as_ref());
        let Some(expected) = self.expected(what, &name, &message) else {
            if let (What::Request, Some(id)) = (what, id) {
                let error = Error::internal(format!("the recording has no more requests `{method}`"));
                // An error without data always serialises.
                let _ = forms::error(output, &id, &error);
                output.push(b'\n');
            }
            return self.unexpected.push(name);
        };
        expected.has_come = true;
        match (what, expected.id.clone(), id) {
            (What::Request, Some(recorded), Some(live)) => drop(self.ids.insert(recorded, live)),
            (What::Response, ..) => {
                let recorded = expected.body.take();
                let result = recorded.as_ref().and_then(|body| body.get("result"));
                if let (Some(recorded), Some(live)) = (result, message.get("result")) {
                    self.renames.learn(recorded, live);
                }
            }
            _ => {}
        }
    }

    /// Returns the step that matches a message of the live side. No other message will match it.
    fn expected(&mut self, what: What, name: &str, message: &Node<'_>) -> Option<&mut Expected> {
        let open = self.open.get_mut(&(what, name.to_owned()))?;
        let params = message.get("params").unwrap_or(&Node::Null);
        let renames = &self.renames;
        let is_same = |step: &usize| match self.steps.get(*step) {
            Some(ScriptStep::Expect(expected)) => expected
                .body
                .as_ref()
                .is_some_and(|body| renames.is_alike(body.get("params").unwrap_or(&Node::Null), params)),
            _ => false,
        };
        // Notifications are in the order of the wire; requests may overtake each other.
        let same = if what == What::Request { open.iter().take(LOOK_AHEAD).position(is_same) } else { None };
        let step = open.remove(same.unwrap_or(0))?;
        match self.steps.get_mut(step)? {
            ScriptStep::Expect(expected) => Some(expected),
            ScriptStep::Send(_) => None,
        }
    }

    /// Returns the outcome, at the end.
    pub(super) fn outcome(self) -> Replayed {
        let mut outcome = Replayed { sent: self.sent, unexpected: self.unexpected, ..Replayed::default() };
        for step in self.steps.into_iter().skip(self.at) {
            match step {
                ScriptStep::Send(_) => outcome.unsent += 1,
                ScriptStep::Expect(it) if !it.has_come && it.is_awaited() => {
                    outcome.missing.push(it.name);
                }
                ScriptStep::Expect(_) => {}
            }
        }
        outcome
    }
}

impl Expected {
    fn is_awaited(&self) -> bool {
        match self.what {
            What::Request => true,
            What::Notification => !self.name.starts_with("$/"),
            // An answer to noise has no id and is not matched.
            What::Response => self.id.is_some(),
            What::Noise => false,
        }
    }
}

impl Sending {
    fn write(&self, ids: &HashMap<Id, Id>, renames: &Renames, output: &mut Vec<u8>) {
        let mut body = self.body.as_node().clone();
        if let (true, Some(text)) = (self.is_text, body.as_str()) {
            output.extend(text.bytes().filter(|byte| *byte != b'\n'));
            return output.push(b'\n');
        }
        if let Node::Map(members) = &mut body {
            let live = self.answers.as_ref().and_then(|recorded| ids.get(recorded));
            for (name, value) in members {
                match (live, &**name) {
                    (Some(live), "id") => *value = live.to_node(),
                    (_, "params" | "result" | "error") => renames.apply(value),
                    _ => {}
                }
            }
        }
        // JSON that was read can be written.
        let _ = serde_json::to_writer(&mut *output, &body);
        output.push(b'\n');
    }
}

fn name_of(what: What, method: &str, id: Option<&Id>) -> String {
    match (what, id) {
        // The whole id, because it is a key. Where ids are shown, they are cut.
        (What::Response, Some(Id::Str(id))) => format!("response {id:?}"),
        (What::Response, Some(id)) => format!("response {id}"),
        (What::Response, None) => "a response without an id".to_owned(),
        _ => method.to_owned(),
    }
}
