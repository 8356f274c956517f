//! Ids of the agent's requests, and calls of what the client of version 2 does not have.

use std::collections::HashMap;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, What};

/// Checks the ids of requests and of answers.
pub(in crate::check) fn pairs(conversation: &Conversation<'_>, f: &mut Findings) {
    // The open requests of the side under check: their lines by their ids.
    let mut open: HashMap<String, usize> = HashMap::new();
    for said in &conversation.said {
        match (said.is_agents(), said.what) {
            (true, What::Request) => {
                let id = said.json["id"].to_string();
                let earlier = open.insert(id.clone(), said.line);
                let lines = || earlier.into_iter().chain([said.line]).collect();
                f.check_lines("v2-rpc-03", earlier.is_none(), lines, || {
                    format!("the id {id} is that of an open request")
                });
            }
            (false, What::Answer(_)) => drop(open.remove(&said.json["id"].to_string())),
            (true, What::Answer(_)) => {
                let id = said.json.get("id");
                let failed = said.json.get("error").is_some();
                let fits = id.is_some_and(|id| failed || !id.is_null());
                f.check("v2-rpc-05", fits, said.line, || {
                    "an answer has no `id`, or a success has `null`".to_owned()
                });
            }
            _ => {}
        }
    }
}

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    pairs(conversation, f);
    for (request, answer) in conversation.answered() {
        if request.method() == "session/prompt" && answer.json.get("result").is_some() {
            f.check("v2-term-01", true, answer.line, String::new);
        }
    }
    for call in conversation.calls() {
        let method = call.method();
        let is_gone = method.starts_with("terminal/") || method.starts_with("fs/");
        if is_gone {
            f.check("v2-term-01", false, call.line, || {
                format!("the agent calls `{method}`, which version 2 does not have")
            });
        }
    }
}
