//! Sessions of an earlier connection: `session/load` and `session/resume`.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Reply, Step, Subject, update_of};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-load-02", "a session with a turn is loaded on a new connection", replayed).fresh(),
    case!("v1-load-03", "a session with a turn is loaded on a new connection", replayed_before).fresh(),
    case!("v1-load-08", "`session/load` of a session that nobody has", unknown),
    case!("v1-res-02", "a session with a turn is resumed on a new connection", not_replayed).fresh(),
    case!("v1-res-03", "a prompt in a session that was resumed", prompted).fresh(),
    case!("v1-list-10", "a prompt in a session that is listed and was not opened", listed).fresh(),
];

/// Runs a turn in a new session, and connects anew. Returns the session.
async fn earlier(t: &mut Tester) -> Step<String> {
    Ok(earlier_turn(t).await?.0)
}

/// Returns the session and the kinds of updates that its turn had.
async fn earlier_turn(t: &mut Tester) -> Step<(String, Vec<String>)> {
    let session = t.new_session().await?;
    let prompt = t.options.prompt.clone();
    let kinds = kinds(&t.turn(&session, &prompt).await?, &session);
    t.disconnect().await;
    t.ready().await?;
    Ok((session, kinds))
}

fn kinds(reply: &Reply, session: &str) -> Vec<String> {
    let kinds = reply.updates(session).filter_map(|update| update.get("sessionUpdate")?.as_str());
    kinds.map(str::to_owned).collect()
}

/// Opens the earlier session by this method.
async fn reopen(t: &mut Tester, method: &str, session: &str) -> Step<Reply> {
    let params = json!({"sessionId": session, "cwd": t.options.cwd, "mcpServers": []});
    let reply = t.call(method, params).await?;
    match reply.message.code() {
        Some(code) => Err(Stop::Inconclusive(format!("the earlier session cannot be opened: error {code}"))),
        None => Ok(reply),
    }
}

/// Returns true if an update is a part of the conversation.
fn is_history(update: &Value) -> bool {
    let tag = update.get("sessionUpdate").and_then(Value::as_str);
    matches!(
        tag,
        Some(
            "user_message_chunk"
                | "agent_message_chunk"
                | "agent_thought_chunk"
                | "tool_call"
                | "tool_call_update"
        )
    )
}

async fn replayed(t: &mut Tester) -> Step {
    t.needs("loadSession").await?;
    let (session, had) = earlier_turn(t).await?;
    let replay = kinds(&reopen(t, "session/load", &session).await?, &session);
    let said = "agent_message_chunk".to_owned();
    let of_agent = had.contains(&said).then_some(said);
    for kind in of_agent.into_iter().chain(["user_message_chunk".to_owned()]) {
        if !replay.contains(&kind) {
            return Err(Stop::Fail(format!("the replay has no `{kind}`, which the conversation has")));
        }
    }
    Ok(())
}

async fn replayed_before(t: &mut Tester) -> Step {
    t.needs("loadSession").await?;
    let session = earlier(t).await?;
    reopen(t, "session/load", &session).await?;
    let mut behind = t.fence().await?;
    behind.extend(t.fence().await?);
    if behind.iter().filter_map(|message| update_of(message, &session)).any(is_history) {
        return Err(Stop::Fail("a part of the conversation comes after the answer".to_owned()));
    }
    Ok(())
}

async fn unknown(t: &mut Tester) -> Step {
    t.needs("loadSession").await?;
    let params = json!({"sessionId": "acp-check-none", "cwd": t.options.cwd, "mcpServers": []});
    t.call("session/load", params).await?.refused(&[-32002], "`session/load` of an unknown session")
}

async fn not_replayed(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.resume").await?;
    let session = earlier(t).await?;
    let reply = reopen(t, "session/resume", &session).await?;
    if reply.updates(&session).any(is_history) {
        return Err(Stop::Fail("a part of the conversation comes before the answer".to_owned()));
    }
    Ok(())
}

async fn prompted(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.resume").await?;
    let session = earlier(t).await?;
    reopen(t, "session/resume", &session).await?;
    let prompt = t.options.prompt.clone();
    let id = t.start(&session, &prompt).await?;
    t.finish(&id).await?.result("a prompt in a resumed session").map(drop)
}

async fn listed(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.list").await?;
    let session = earlier(t).await?;
    let params = json!({"cwd": t.options.cwd});
    let reply = t.call("session/list", params).await?;
    let sessions = reply.message.pointer("/result/sessions").and_then(Value::as_array);
    let is_it = |entry: &Value| entry.get("sessionId").is_some_and(|id| id == session.as_str());
    if !sessions.is_some_and(|sessions| sessions.iter().any(is_it)) {
        return Err(Stop::Inconclusive("the earlier session is not on the first page".to_owned()));
    }
    let id = t.start(&session, "hello").await?;
    t.finish(&id).await?.refused(&[-32002], "a prompt in a session that is only listed")
}
