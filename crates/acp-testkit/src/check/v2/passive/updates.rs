//! Messages, tool calls and plans.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::content;
use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said};
use crate::peer::Way;

/// A tool call of a session.
#[derive(Default)]
struct Call {
    /// The line of the end of a call that still offered its cancellation then.
    offered_at_end: Option<usize>,
    is_offered: bool,
    has_ended: bool,
}

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let resumed: HashSet<&str> = conversation
        .said
        .iter()
        .filter(|said| said.way == Way::Sent && said.method() == "session/resume")
        .filter_map(Said::session)
        .collect();
    let mut calls: HashMap<(&str, String), Call> = HashMap::new();
    for said in conversation.calls() {
        let session = said.session().unwrap_or_default();
        if said.method() == "session/request_permission" {
            let call = &said.params()["subject"]["toolCall"];
            if call.is_object() {
                report(call, said.line, session, resumed.contains(session), &mut calls, f);
            }
            continue;
        }
        let Some(update) = said.update() else { continue };
        let tag = update["sessionUpdate"].as_str().unwrap_or_default();
        match tag.strip_suffix("_chunk").unwrap_or(tag) {
            "user_message" | "agent_message" | "agent_thought" => {
                f.check("v2-msg-01", update["messageId"].is_string(), said.line, || {
                    format!("a `{tag}` has no `messageId`")
                });
                content::blocks(&update["content"], said.line, f);
            }
            "tool_call" => {
                f.check("v2-tool-01", false, said.line, || "the update is a `tool_call`".to_owned());
            }
            "tool_call_update" => {
                f.check("v2-tool-01", true, said.line, String::new);
                report(update, said.line, session, resumed.contains(session), &mut calls, f);
            }
            "tool_call_content" => content::item(&update["content"], said.line, f),
            "plan_update" => plan(&update["plan"], said.line, f),
            "plan" => {
                f.check("v2-plan-01", false, said.line, || "the update is a `plan`".to_owned());
            }
            _ => {}
        }
    }
    withdrawn(conversation, &calls, f);
}

/// Checks an update of a tool call.
fn report<'a>(
    update: &Value,
    line: usize,
    session: &'a str,
    resumed: bool,
    calls: &mut HashMap<(&'a str, String), Call>,
    f: &mut Findings,
) {
    let key = (session, update["toolCallId"].to_string());
    // A session that was opened again has calls that this connection does not know.
    if !resumed && !calls.contains_key(&key) {
        f.check("v2-tool-02", update["title"].is_string(), line, || {
            "the first report of a tool call has no `title`".to_owned()
        });
    }
    let call = calls.entry(key).or_default();
    if let Some(controls) = update.get("capabilities") {
        call.is_offered = controls["cancel"].is_object();
    }
    if matches!(update["status"].as_str(), Some("completed" | "failed" | "cancelled")) {
        call.has_ended = true;
    }
    call.offered_at_end = (call.has_ended && call.is_offered).then(|| call.offered_at_end.unwrap_or(line));
    if call.has_ended && !call.is_offered && update.get("capabilities").is_none() {
        f.check("v2-tcc-04", true, line, String::new);
    }
    for location in update["locations"].as_array().into_iter().flatten() {
        content::path(&location["path"], line, f);
        if let Some(number) = location["line"].as_i64() {
            f.check("v2-tool-07", number >= 1, line, || format!("the line {number} of a location"));
        }
    }
    for item in update["content"].as_array().into_iter().flatten() {
        content::item(item, line, f);
    }
}

/// Checks that no call offers its cancellation after its end.
fn withdrawn(conversation: &Conversation<'_>, calls: &HashMap<(&str, String), Call>, f: &mut Findings) {
    // Only an agent that has answered something since has had the time to take the offer back.
    let last = conversation.answered().last().map_or(0, |(_, answer)| answer.line);
    for line in calls.values().filter_map(|call| call.offered_at_end).filter(|line| *line < last) {
        f.check("v2-tcc-04", false, line, || {
            "a tool call has ended, and still offers its cancellation".to_owned()
        });
    }
}

fn plan(plan: &Value, line: usize, f: &mut Findings) {
    let kind = plan["type"].as_str().unwrap_or_default();
    let entries = plan["entries"].as_array();
    let whole =
        kind != "items" || entries.is_some_and(|list| list.iter().all(|entry| entry["content"].is_string()));
    f.check("v2-plan-01", !kind.is_empty() && plan["planId"].is_string() && whole, line, || {
        "a plan lacks `type`, `planId` or its entries".to_owned()
    });
    if kind.starts_with('_') {
        f.check("v2-plan-03", plan["planId"].is_string(), line, || {
            "a plan of a custom type has no `planId`".to_owned()
        });
    }
    for entry in entries.into_iter().flatten().filter(|_| kind == "items") {
        let is_open = |name: &str, known: &[&str]| {
            entry[name].as_str().is_some_and(|value| known.contains(&value) || value.starts_with('_'))
        };
        let fits = is_open("priority", &["high", "medium", "low"])
            && is_open("status", &["pending", "in_progress", "completed", "cancelled"]);
        f.check("v2-plan-04", fits, line, || {
            "an entry of a plan has a `priority` or `status` that nobody knows".to_owned()
        });
    }
}
