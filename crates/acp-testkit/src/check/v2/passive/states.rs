//! States of sessions: their reasons, the work that they list, and the silence behind an end.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said, What};
use crate::peer::Way;

const REASONS: &[&str] = &["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"];

/// The past of a session on this connection.
#[derive(Default)]
struct Session {
    is_busy: bool,
    /// True if it was opened again, so that it has a past that this connection does not know.
    is_reopened: bool,
    /// The line of the answer that closed it.
    closed: Option<usize>,
    /// The messages and tool calls of the present turn, by tag and id.
    parts: HashSet<(String, String)>,
    /// The line of the idle state that ended a cancelled turn, and its parts.
    cancelled: Option<(usize, HashSet<(String, String)>)>,
    /// The tool calls and terminals that were reported, and whether they have ended.
    entities: HashMap<String, bool>,
    /// The work that the last state has listed.
    background: Option<Vec<String>>,
}

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut sessions: HashMap<String, Session> = HashMap::new();
    for said in &conversation.said {
        if let What::Answer(Some(request)) = said.what {
            closed(conversation, request, said, &mut sessions, f);
            continue;
        }
        let Some(id) = said.session() else { continue };
        let session = sessions.entry(id.to_owned()).or_default();
        if said.way == Way::Sent {
            if said.method() == "session/resume" {
                *session = Session { is_reopened: true, ..Session::default() };
            }
            continue;
        }
        if let Some(line) = session.closed {
            f.check_lines(
                "v2-close-03",
                false,
                || vec![line, said.line],
                || format!("a `{}` of the session comes after the answer that closes it", said.method()),
            );
        }
        if let Some(update) = said.update() {
            session.update(update, said.line, f);
        }
    }
}

fn closed(
    conversation: &Conversation<'_>,
    request: usize,
    answer: &Said,
    sessions: &mut HashMap<String, Session>,
    f: &mut Findings,
) {
    let Some(request) = conversation.said.get(request) else { return };
    if !answer.is_agents() || request.method() != "session/close" || answer.json.get("result").is_none() {
        return;
    }
    let Some(id) = request.session() else { return };
    f.check("v2-close-03", true, answer.line, String::new);
    sessions.entry(id.to_owned()).or_default().closed = Some(answer.line);
}

impl Session {
    fn update(&mut self, update: &Value, line: usize, f: &mut Findings) {
        let tag = update["sessionUpdate"].as_str().unwrap_or_default();
        match tag {
            "state_update" => return self.state(update, line, f),
            "tool_call_update" => {
                let status = update["status"].as_str();
                let ended = matches!(status, Some("completed" | "failed" | "cancelled"));
                self.entity("tool_call", &update["toolCallId"], ended);
            }
            "terminal_update" => {
                self.entity("terminal", &update["terminalId"], update["exitStatus"].is_object());
            }
            _ => {}
        }
        if let Some(part) = part(tag, update) {
            if let Some((end, parts)) = &self.cancelled {
                let late = parts.contains(&part);
                f.check_lines(
                    "v2-cancel-07",
                    !late,
                    || vec![*end, line],
                    || format!("a `{tag}` of the cancelled turn comes after the idle state"),
                );
            }
            self.parts.insert(part);
        }
    }

    fn entity(&mut self, kind: &str, id: &Value, ended: bool) {
        *self.entities.entry(format!("{kind} {id}")).or_default() |= ended;
    }

    fn state(&mut self, update: &Value, line: usize, f: &mut Findings) {
        self.background(update, line, f);
        if update["state"] != "idle" {
            if !self.is_busy {
                self.parts.clear();
                self.cancelled = None;
            }
            self.is_busy = true;
            return;
        }
        let reason = &update["stopReason"];
        if self.is_busy {
            f.check("v2-state-03", reason.is_string(), line, || {
                "the state that ends the work has no `stopReason`".to_owned()
            });
        }
        if let Some(reason) = reason.as_str() {
            let error = &update["error"];
            let whole = error.is_null() || (error["code"].is_i64() && error["message"].is_string());
            let known = REASONS.contains(&reason) || reason.starts_with('_');
            f.check("v2-state-10", known && whole, line, || {
                format!("the reason `{reason}` is not one of the protocol, or its `error` is malformed")
            });
            if self.is_busy && reason == "cancelled" {
                f.check("v2-cancel-07", true, line, String::new);
                let listed = self.background.clone().unwrap_or_default();
                let mut parts = std::mem::take(&mut self.parts);
                // Background work goes on.
                parts.retain(|(kind, id)| !listed.contains(&format!("{kind} {id}")));
                self.cancelled = Some((line, parts));
            }
        }
        self.is_busy = false;
    }

    /// Checks the work that a state lists.
    fn background(&mut self, update: &Value, line: usize, f: &mut Findings) {
        let Some(items) = update["background"].as_array() else {
            if self.background.is_some() {
                f.check("v2-bg-02", false, line, || {
                    "the state does not list the background work, which earlier states have".to_owned()
                });
            }
            return;
        };
        let listed: Vec<String> = items.iter().filter_map(item).collect();
        if self.background.is_some() {
            f.check("v2-bg-02", true, line, String::new);
        }
        let unique = listed.iter().collect::<HashSet<_>>().len() == listed.len();
        f.check("v2-bg-04", unique, line, || "the state lists a work item twice".to_owned());
        if !self.is_reopened {
            let stray = listed.iter().find(|item| !self.entities.contains_key(*item));
            f.check("v2-bg-03", stray.is_none(), line, || {
                format!("the state lists `{}`, which was not reported before", stray.map_or("", |item| item))
            });
            let earlier = self.background.iter().flatten().filter(|item| !listed.contains(item));
            for item in earlier {
                f.check("v2-bg-03", self.entities.get(item).is_some_and(|ended| *ended), line, || {
                    format!("`{item}` is not listed any more, and its end was not reported")
                });
            }
        }
        self.background = Some(listed);
    }
}

/// Returns the kind and id of a work item of a known type.
fn item(item: &Value) -> Option<String> {
    let kind = item["type"].as_str()?;
    let id = match kind {
        "tool_call" => &item["toolCallId"],
        "terminal" => &item["terminalId"],
        _ => return None,
    };
    Some(format!("{kind} {id}"))
}

/// Returns the kind and id of the message or tool call that an update is about.
fn part(tag: &str, update: &Value) -> Option<(String, String)> {
    let kind = tag.strip_suffix("_chunk").unwrap_or(tag);
    match kind {
        "agent_message" | "agent_thought" => Some((kind.to_owned(), update["messageId"].to_string())),
        "tool_call_update" | "tool_call_content" => {
            Some(("tool_call".to_owned(), update["toolCallId"].to_string()))
        }
        _ => None,
    }
}
