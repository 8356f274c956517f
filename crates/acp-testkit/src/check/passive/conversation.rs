//! A recording as messages, in which answers know their requests.

use std::collections::HashMap;

use acp_types::method::Side;
use serde_json::Value;

use crate::peer::{Line, Way};

/// The messages of a recording.
pub(in crate::check) struct Conversation<'a> {
    pub(in crate::check) lines: &'a [Line],
    pub(in crate::check) said: Vec<Said>,
    /// The side that is under check.
    pub(in crate::check) side: Side,
}

/// A line that is a JSON object.
pub(in crate::check) struct Said {
    /// Its position in the recording.
    pub(in crate::check) line: usize,
    pub(in crate::check) way: Way,
    pub(in crate::check) json: Value,
    pub(in crate::check) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum What {
    Request,
    Notification,
    /// An answer, with the position of its request among the messages.
    Answer(Option<usize>),
}

impl Said {
    pub(in crate::check) fn method(&self) -> &str {
        self.json["method"].as_str().unwrap_or_default()
    }

    pub(in crate::check) fn params(&self) -> &Value {
        &self.json["params"]
    }

    pub(in crate::check) fn session(&self) -> Option<&str> {
        self.params()["sessionId"].as_str()
    }

    /// Returns true if the agent has said it.
    pub(in crate::check) fn is_agents(&self) -> bool {
        self.way == Way::Received
    }

    /// Returns the update of an agent's `session/update`.
    pub(in crate::check) fn update(&self) -> Option<&Value> {
        (self.is_agents() && self.method() == "session/update").then(|| &self.params()["update"])
    }
}

impl<'a> Conversation<'a> {
    /// Reads the recording of a side. For a client, the words of agents are the client's.
    pub(in crate::check) fn new(lines: &'a [Line], side: Side) -> Self {
        let mut said: Vec<Said> = Vec::new();
        let mut open = HashMap::new();
        for (line, text) in lines.iter().enumerate() {
            let Some(json) = text.json().filter(Value::is_object) else { continue };
            let id = json.get("id").map(ToString::to_string);
            let what = match (json.get("method"), &id) {
                (Some(_), Some(id)) => {
                    open.insert((text.way, id.clone()), said.len());
                    What::Request
                }
                (Some(_), None) => What::Notification,
                (None, id) => {
                    let asked = if text.way == Way::Sent { Way::Received } else { Way::Sent };
                    What::Answer(id.as_ref().and_then(|id| open.remove(&(asked, id.clone()))))
                }
            };
            said.push(Said { line, way: text.way, json, what });
        }
        Self { lines, said, side }
    }

    /// Returns the name of the side that is under check.
    pub(in crate::check) const fn name(&self) -> &'static str {
        if matches!(self.side, Side::Client) { "client" } else { "agent" }
    }

    /// Returns the requests of the side under check that the checker has answered, with the
    /// answers, in the order of the answers.
    pub(in crate::check) fn asked(&self) -> impl Iterator<Item = (&Said, &Said)> {
        self.said.iter().filter(|said| !said.is_agents()).filter_map(|answer| match answer.what {
            What::Answer(Some(request)) => Some((self.said.get(request)?, answer)),
            _ => None,
        })
    }

    /// Returns the version that the agent has chosen, `None` if it has not.
    pub(in crate::check) fn version(&self) -> Option<u64> {
        let answers = self.answered().filter(|(request, _)| request.method() == "initialize");
        let chosen = answers.filter_map(|(_, answer)| answer.json["result"]["protocolVersion"].as_u64());
        chosen.last()
    }

    /// Returns the requests of the checker that were answered, with their answers, in the order of
    /// the answers.
    pub(in crate::check) fn answered(&self) -> impl Iterator<Item = (&Said, &Said)> {
        self.said.iter().filter(|said| said.is_agents()).filter_map(|answer| match answer.what {
            What::Answer(Some(request)) => Some((self.said.get(request)?, answer)),
            _ => None,
        })
    }

    /// Returns the requests and notifications of the agent.
    pub(in crate::check) fn calls(&self) -> impl Iterator<Item = &Said> {
        self.said.iter().filter(|said| said.is_agents() && !matches!(said.what, What::Answer(_)))
    }

    /// Returns the agent's updates with their tags.
    pub(in crate::check) fn updates(&self) -> impl Iterator<Item = (&Said, &str, &Value)> {
        self.said.iter().filter_map(|said| {
            let update = said.update()?;
            Some((said, update["sessionUpdate"].as_str()?, update))
        })
    }

    /// Returns the results that opened sessions: the message, the session, the result.
    pub(in crate::check) fn opened(&self) -> impl Iterator<Item = (&Said, &str, &Value)> {
        self.answered().filter_map(|(request, answer)| {
            let result = answer.json.get("result")?;
            let session = match request.method() {
                "session/new" => result["sessionId"].as_str()?,
                "session/load" | "session/resume" => request.session()?,
                _ => return None,
            };
            Some((answer, session, result))
        })
    }
}
