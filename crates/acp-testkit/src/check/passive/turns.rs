//! Turns: their ends, and the silence behind them.

use std::collections::{HashMap, HashSet};

use super::conversation::{Conversation, What};
use super::findings::Findings;
use crate::peer::Way;

const REASONS: &[&str] = &["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/// Updates that belong to a turn. Others, such as the title or the usage, may come at any time.
const OF_TURN: &[&str] =
    &["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

/// Requests that are work of a turn. Others tidy up, or are extensions.
const WORK: &[&str] =
    &["session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    // The ended turns of sessions in which nothing has begun since: the line of the answer, and
    // whether the turn was cancelled.
    let mut ended: HashMap<&str, (usize, bool)> = HashMap::new();
    for said in &conversation.said {
        let session = said.session();
        if said.way == Way::Sent && matches!(said.what, What::Request) {
            if let Some(session) = session {
                ended.remove(session);
            }
            continue;
        }
        match said.what {
            What::Answer(Some(request)) if said.is_agents() => {
                let Some(request) = conversation.said.get(request) else { continue };
                let Some(session) = request.session() else { continue };
                let Some(result) = said.json.get("result").filter(|_| request.method() == "session/prompt")
                else {
                    continue;
                };
                let reason = result["stopReason"].as_str().unwrap_or_default();
                f.check("v1-turn-04", REASONS.contains(&reason), said.line, || {
                    "`stopReason` is not one of the protocol".to_owned()
                });
                let cancelled = reason == "cancelled";
                f.check("v1-turn-02", true, said.line, String::new);
                f.check(if cancelled { "v1-cancel-08" } else { "v1-turn-07" }, true, said.line, String::new);
                ended.insert(session, (said.line, cancelled));
            }
            What::Request if said.is_agents() => {
                let late = session.and_then(|session| ended.get(session));
                if let Some((answer, _)) = late.filter(|_| WORK.contains(&said.method())) {
                    f.check_lines(
                        "v1-turn-02",
                        false,
                        || vec![*answer, said.line],
                        || format!("the agent calls `{}` after the answer that ends the turn", said.method()),
                    );
                }
            }
            What::Notification => {
                let tag = said.update().and_then(|update| update["sessionUpdate"].as_str());
                let late = session.and_then(|session| ended.get(session));
                if let (Some(tag), Some((answer, cancelled))) =
                    (tag.filter(|tag| OF_TURN.contains(tag)), late)
                {
                    let rule = if *cancelled { "v1-cancel-08" } else { "v1-turn-07" };
                    f.check_lines(
                        rule,
                        false,
                        || vec![*answer, said.line],
                        || format!("a `{tag}` comes after the answer that ends the turn"),
                    );
                }
            }
            _ => {}
        }
    }
    known_sessions(conversation, f);
}

/// Checks that updates name sessions of this connection.
fn known_sessions(conversation: &Conversation<'_>, f: &mut Findings) {
    let opened = conversation.opened().map(|(_, session, _)| session);
    // A session that is opened may send updates before the answer that names it, and one whose
    // opening has failed is not open.
    let asked = conversation.said.iter().filter(|said| said.way == Way::Sent && said.what == What::Request);
    // A new session has no id before its answer.
    let lines: HashSet<usize> = conversation.answered().map(|(request, _)| request.line).collect();
    if asked.clone().any(|said| said.method() == "session/new" && !lines.contains(&said.line)) {
        return;
    }
    let known: HashSet<&str> = opened.chain(asked.filter_map(|said| said.session())).collect();
    for (said, _, _) in conversation.updates() {
        let session = said.session().unwrap_or_default();
        f.check("v1-new-14", known.contains(session), said.line, || {
            "the update names a session that was never opened here".to_owned()
        });
    }
}
