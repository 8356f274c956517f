//! The order of calls: prompts after the setup, and calls in sessions that are open.

use std::collections::HashSet;

use serde_json::Value;

use super::{Conversation, Findings};
use crate::check::passive::conversation::What;

/// Methods that are about a session that is open here.
const OF_OPEN: &[&str] =
    &["session/prompt", "session/cancel", "session/set_mode", "session/set_config_option", "session/close"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    setup(conversation, f);
    cancellations(conversation, f);
}

/// Checks that prompts come after the setup, and that calls name sessions that are open.
pub(in crate::check::client_side) fn setup(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut open: HashSet<String> = HashSet::new();
    let mut ever: HashSet<String> = HashSet::new();
    for said in &conversation.said {
        match said.what {
            // An answer of the checker.
            What::Answer(Some(request)) if !said.is_agents() => {
                let Some(request) = conversation.said.get(request) else { continue };
                let Some(result) = said.json.get("result") else { continue };
                let named = request.session().map(str::to_owned);
                let session = match request.method() {
                    "session/new" => result["sessionId"].as_str().map(str::to_owned),
                    "session/load" | "session/resume" => named,
                    "session/close" => {
                        open.retain(|session| Some(session) != named.as_ref());
                        continue;
                    }
                    _ => continue,
                };
                ever.extend(session.clone());
                open.extend(session);
            }
            What::Request | What::Notification if said.is_agents() => {
                if !OF_OPEN.contains(&said.method()) {
                    continue;
                }
                let session = said.params()["sessionId"].as_str().unwrap_or_default();
                if said.method() == "session/prompt" {
                    f.check("v1-turn-01", !ever.is_empty(), said.line, || {
                        "the client prompts before it has opened a session".to_owned()
                    });
                }
                // A client that has opened none is of the rule above.
                f.check("v1-new-14", ever.is_empty() || open.contains(session), said.line, || {
                    format!("`{}` names a session that is not open here", said.method())
                });
            }
            _ => {}
        }
    }
}

/// Checks that permission requests that are open when a turn is cancelled are answered `cancelled`.
fn cancellations(conversation: &Conversation<'_>, f: &mut Findings) {
    for cancel in conversation.calls().filter(|call| call.method() == "session/cancel") {
        for asked in conversation.said.iter().filter(|said| {
            !said.is_agents()
                && said.what == What::Request
                && said.method() == "session/request_permission"
                && said.session() == cancel.session()
                && said.line < cancel.line
        }) {
            let answer = conversation.answered().find(|(request, _)| request.line == asked.line);
            let Some((_, answer)) = answer else {
                // It may have come to its end before the answer: a scenario waits for it.
                continue;
            };
            // The answer may have been under way already.
            if answer.line < cancel.line {
                continue;
            }
            let lines = || vec![asked.line, cancel.line, answer.line];
            let error = answer.json.get("error").is_some_and(Value::is_object);
            f.check_lines("v1-creq-09", !error, lines, || {
                "the permission request of a cancelled turn is answered with an error".to_owned()
            });
            let cancelled = answer.json["result"]["outcome"]["outcome"] == "cancelled";
            f.check_lines("v1-cancel-03", cancelled || error, lines, || {
                "the permission request of a cancelled turn is not answered `cancelled`".to_owned()
            });
        }
    }
}
