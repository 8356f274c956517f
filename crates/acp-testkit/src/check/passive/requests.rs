//! Requests of the agent: permissions, files, terminals, elicitation.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::conversation::{Conversation, Said, What};
use super::findings::Findings;
use super::updates::path;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut elicitations = HashSet::new();
    for call in conversation.calls() {
        let params = call.params();
        match call.method() {
            "session/request_permission" => {
                for option in params["options"].as_array().into_iter().flatten() {
                    let kinds = ["allow_once", "allow_always", "reject_once", "reject_always"];
                    let known = option["kind"].as_str().is_some_and(|kind| kinds.contains(&kind));
                    f.check("v1-perm-06", known, call.line, || {
                        "an option has a `kind` that the protocol does not have".to_owned()
                    });
                }
            }
            "fs/read_text_file" | "fs/write_text_file" => {
                path(Some("v1-fs-07"), &params["path"], call.line, f);
                if let Some(line) = params["line"].as_i64() {
                    f.check("v1-rpc-25", line >= 1, call.line, || {
                        format!("the file is read from line {line}")
                    });
                }
            }
            "terminal/create" => path(Some("v1-term-12"), &params["cwd"], call.line, f),
            "elicitation/create" => elicitation(params, call.line, &mut elicitations, f),
            _ => {}
        }
    }
    terminals(conversation, f);
    declined(conversation, f);
}

/// Checks that a turn whose question was declined ends like any other.
fn declined(conversation: &Conversation<'_>, f: &mut Findings) {
    let asked: Vec<_> = conversation.calls().filter(|call| call.method() == "elicitation/create").collect();
    for (prompt, answer) in
        conversation.answered().filter(|(request, _)| request.method() == "session/prompt")
    {
        let within = |call: &&&Said| {
            call.session() == prompt.session() && prompt.line < call.line && call.line < answer.line
        };
        // The checker declines every question.
        if let Some(call) = asked.iter().find(within) {
            let lines = || vec![call.line, answer.line];
            f.check_lines("v1-eli-18", answer.json.get("result").is_some(), lines, || {
                "the turn ends with an error after its question was declined".to_owned()
            });
        }
    }
}

fn elicitation(params: &Value, line: usize, ids: &mut HashSet<String>, f: &mut Findings) {
    f.check("v1-eli-03", params["mode"].is_string(), line, || "`mode` is missing".to_owned());
    let scoped = params["sessionId"].is_string() || !params["requestId"].is_null();
    f.check("v1-eli-04", scoped, line, || "neither `sessionId` nor `requestId` is there".to_owned());
    if params["mode"] == "form" {
        let properties = params["requestedSchema"]["properties"].as_object();
        let flat = properties.is_none_or(|properties| {
            properties.values().all(|property| property["type"].as_str().is_some_and(|kind| kind != "object"))
        });
        f.check("v1-eli-06", flat, line, || "the form is not an object of plain properties".to_owned());
    }
    if params["mode"] == "url" {
        let id = &params["elicitationId"];
        f.check("v1-eli-19", id.is_string() && ids.insert(id.to_string()), line, || {
            "`elicitationId` is missing, or was used before".to_owned()
        });
    }
}

fn terminals(conversation: &Conversation<'_>, f: &mut Findings) {
    // Created terminals, by their ids, with the line of the answer.
    let mut created: HashMap<String, (usize, Option<&str>)> = HashMap::new();
    let mut released: HashMap<String, usize> = HashMap::new();
    for said in &conversation.said {
        if let (false, What::Answer(Some(request))) = (said.is_agents(), said.what)
            && let Some(request) = conversation.said.get(request)
            && request.method() == "terminal/create"
            && let Some(id) = said.json["result"]["terminalId"].as_str()
        {
            created.insert(id.to_owned(), (said.line, request.session()));
        }
        if said.is_agents()
            && said.method() == "terminal/release"
            && let Some(id) = said.params()["terminalId"].as_str()
        {
            released.insert(id.to_owned(), said.line);
        }
    }
    let last = conversation.answered().last().map_or(0, |(_, answer)| answer.line);
    for (id, (line, session)) in &created {
        // Only a turn that has ended, and has something behind it, has had the time to tidy up.
        let ended = conversation.answered().any(|(prompt, answer)| {
            prompt.method() == "session/prompt"
                && prompt.session() == *session
                && answer.line > *line
                && answer.line < last
        });
        if !ended {
            continue;
        }
        f.check("v1-term-02", released.contains_key(id), *line, || {
            "the terminal is never released".to_owned()
        });
    }
    let mut embedded = HashSet::new();
    for (said, _, update) in conversation.updates() {
        for item in update["content"].as_array().into_iter().flatten() {
            let Some(id) = item["terminalId"].as_str().filter(|id| embedded.insert((*id).to_owned())) else {
                continue;
            };
            let late = released.get(id).is_some_and(|released| *released < said.line);
            f.check("v1-tool-10", !late, said.line, || {
                "a terminal is embedded after it was released".to_owned()
            });
        }
    }
}
