//! Tool calls and terminals that the client cancels.

use std::collections::HashSet;

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    // An offer counts once it was made: the client may not have read yet that it is withdrawn.
    let mut offered: HashSet<String> = HashSet::new();
    for said in &conversation.said {
        let params = said.params();
        if !said.is_agents() && said.method() == "session/update" {
            let update = &params["update"];
            if update["capabilities"]["cancel"].is_object() {
                offered.insert(key(&params["sessionId"], update));
            }
        }
        if said.is_agents() && matches!(said.method(), "tool_call/cancel" | "terminal/cancel") {
            f.check("v2-tcc-01", offered.contains(&key(&params["sessionId"], params)), said.line, || {
                format!("the client calls `{}`, and its subject has not offered it", said.method())
            });
        }
    }
}

/// Returns what an update or a request is about.
fn key(session: &Value, of: &Value) -> String {
    format!("{session} {} {}", of["toolCallId"], of["terminalId"])
}
