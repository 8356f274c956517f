//! Values of open lists, and cancellations of requests.

use std::collections::HashSet;

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, What};

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for (request, answer) in conversation.answered() {
        let result = &answer.json["result"];
        match request.method() {
            "session/request_permission" => {
                known("outcome", &result["outcome"]["outcome"], &["selected", "cancelled"], answer.line, f);
            }
            "elicitation/create" => {
                known("action", &result["action"], &["accept", "decline", "cancel"], answer.line, f);
            }
            _ => {}
        }
    }
    cancellations(conversation, f);
}

/// Checks that the client cancels only requests that it has made.
fn cancellations(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut made: HashSet<String> = HashSet::new();
    for said in conversation.said.iter().filter(|said| said.is_agents()) {
        if said.what == What::Request {
            made.insert(said.json["id"].to_string());
        } else if said.method() == "$/cancel_request" {
            let id = &said.params()["requestId"];
            f.check("v2-creq-01", made.contains(&id.to_string()), said.line, || {
                format!("the client cancels the request {id}, and has not made one of this id")
            });
        }
    }
}

/// Checks a value that is one of the protocol, or custom.
pub(super) fn known(name: &str, value: &Value, values: &[&str], line: usize, f: &mut Findings) {
    let Some(text) = value.as_str() else { return };
    f.check("v2-ext-01", values.contains(&text) || text.starts_with('_'), line, || {
        format!("`{text}` as `{name}` is not a value of the protocol and does not begin with `_`")
    });
}
