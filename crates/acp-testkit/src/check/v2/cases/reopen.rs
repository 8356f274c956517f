//! Sessions that are closed and opened again.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Reply, Step, Subject, update_of};
use crate::check::tester::Tester;
use crate::check::v2::turn::{Turn, is_tagged};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-res-02", "a session with a turn is opened again without its history", without_history),
    case!("v2-res-03", "a session with a turn is opened again with its history", with_history),
    case!("v2-res-04", "a replay from an unknown place, and from none", cursors),
    case!("v2-res-05", "a session with a turn is opened again, without its history and with it", state),
    case!("v2-res-09", "a session with a turn is opened again with its history", ids),
    case!("v2-res-10", "a session with a notice is opened again with its history", notices),
];

/// Runs a turn in a new session, and closes it.
async fn closed(t: &mut Tester) -> Step<Turn> {
    let session = t.new_session().await?;
    let turn = Turn::plain(t, &session).await?;
    t.call("session/close", json!({"sessionId": session})).await?;
    Ok(turn)
}

/// Opens a session again.
async fn resume(t: &mut Tester, session: &str, replay: Option<Value>) -> Step<Reply> {
    let mut params = json!({"sessionId": session, "cwd": t.options.cwd, "mcpServers": []});
    if let Some(replay) = replay {
        params["replayFrom"] = replay;
    }
    let reply = t.call("session/resume", params).await?;
    match reply.message.code() {
        Some(code) => Err(Stop::Inconclusive(format!("the session cannot be opened again: error {code}"))),
        None => Ok(reply),
    }
}

fn start() -> Option<Value> {
    Some(json!({"type": "start"}))
}

/// Returns true if an update is a part of the conversation.
fn is_history(update: &Value) -> bool {
    is_message(update)
        || ["tool_call_update", "tool_call_content_chunk"].iter().any(|tag| is_tagged(update, tag))
}

fn is_message(update: &Value) -> bool {
    let tag = update["sessionUpdate"].as_str().unwrap_or_default();
    matches!(tag.strip_suffix("_chunk").unwrap_or(tag), "user_message" | "agent_message" | "agent_thought")
}

async fn without_history(t: &mut Tester) -> Step {
    let session = closed(t).await?.session;
    for replay in [None, Some(Value::Null)] {
        let reply = resume(t, &session, replay).await?;
        if reply.updates(&session).any(is_history) {
            return Err(Stop::Fail("a part of the conversation comes before the answer".to_owned()));
        }
    }
    Ok(())
}

async fn with_history(t: &mut Tester) -> Step {
    let turn = closed(t).await?;
    let reply = resume(t, &turn.session, start()).await?;
    let kind = |update: &Value| {
        let tag = update["sessionUpdate"].as_str().unwrap_or_default();
        tag.strip_suffix("_chunk").unwrap_or(tag).to_owned()
    };
    let replayed: Vec<String> = reply.updates(&turn.session).map(kind).collect();
    let spoke = turn.updates().any(|update| kind(update) == "agent_message");
    for needed in [Some("user_message"), spoke.then_some("agent_message")].into_iter().flatten() {
        if !replayed.iter().any(|kind| kind == needed) {
            return Err(Stop::Fail(format!("the replay has no `{needed}`, which the conversation has")));
        }
    }
    let mut behind = t.fence().await?;
    behind.extend(t.fence().await?);
    if behind.iter().filter_map(|message| update_of(message, &turn.session)).any(is_history) {
        return Err(Stop::Fail("a part of the conversation comes after the answer".to_owned()));
    }
    Ok(())
}

async fn cursors(t: &mut Tester) -> Step {
    let session = closed(t).await?.session;
    for (cursor, of) in [
        (json!({"type": "_acp_check"}), "a replay from an unknown place"),
        (json!({}), "a replay from no place"),
        (json!(5), "a number as `replayFrom`"),
    ] {
        let params = json!({"sessionId": session, "cwd": t.options.cwd, "replayFrom": cursor});
        t.call("session/resume", params).await?.refused(&[-32602], of)?;
    }
    Ok(())
}

async fn state(t: &mut Tester) -> Step {
    for replay in [None, start()] {
        let session = closed(t).await?.session;
        let reply = resume(t, &session, replay).await?;
        let updates: Vec<_> = reply.updates(&session).collect();
        let state = updates.iter().rposition(|update| is_tagged(update, "state_update"));
        let history = updates.iter().rposition(|update| is_history(update));
        match (state, history) {
            (None, _) => return Err(Stop::Fail("no `state_update` precedes the answer".to_owned())),
            (Some(state), Some(history)) if state < history => {
                return Err(Stop::Fail("no `state_update` follows the replay".to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

async fn ids(t: &mut Tester) -> Step {
    let turn = closed(t).await?;
    let reply = resume(t, &turn.session, start()).await?;
    let messages: Vec<_> = reply.updates(&turn.session).filter(|update| is_message(update)).collect();
    if messages.is_empty() {
        return Err(Stop::Inconclusive("the replay has no messages".to_owned()));
    }
    if messages.iter().any(|update| !update["messageId"].is_string()) {
        return Err(Stop::Fail("a replayed message has no `messageId`".to_owned()));
    }
    let of_user =
        |update: &&&Value| update["sessionUpdate"].as_str().is_some_and(|tag| tag.starts_with("user"));
    let mut users = messages.iter().filter(of_user);
    if !users.any(|update| update["messageId"].as_str() == turn.message_id()) {
        return Err(Stop::Fail("the replayed prompt does not have the id that it had".to_owned()));
    }
    Ok(())
}

async fn notices(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    let mut noticed = false;
    for prompt in t.prompts() {
        noticed |= Turn::run(t, &session, &prompt).await?.updates().any(|update| is_tagged(update, "notice"));
    }
    if !noticed {
        return Err(Stop::NotApplicable("no prompt makes the agent send a notice".to_owned()));
    }
    t.call("session/close", json!({"sessionId": session})).await?;
    let reply = resume(t, &session, start()).await?;
    if reply.updates(&session).any(|update| is_tagged(update, "notice")) {
        return Err(Stop::Fail("a notice is replayed".to_owned()));
    }
    Ok(())
}
