//! Sessions: their ids, those that are taken up, and the list of them.

use serde_json::json;

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-new-12", "a session whose id is of odd characters, beside another one", odd_id)
        .fresh()
        .survives(),
    case!("v1-load-06", "a session is loaded, and the answer is `null`", null_load).fresh().survives(),
    case!("v1-load-09", "a session is loaded, and its updates come before the answer", replay)
        .fresh()
        .survives(),
    case!("v1-rpc-23", "answers without content are `null`", nulls).fresh().survives(),
    case!("v1-list-11", "a list of sessions with malformed entries", bad_entries).fresh().survives(),
];

async fn odd_id(t: &mut Stage) -> Step {
    let id = " acp-check/\u{e9}\u{1f980}?&=%20\"\\ ";
    t.agent.session_id = Some(id.to_owned());
    let named = t.turn().await?;
    if !t.agent.sessions.contains(&named) {
        return Err(Stop::Fail("the session's id is not the one that the agent has given".to_owned()));
    }
    let text = json!({"type": "text", "text": "hello"});
    let update = json!({"sessionUpdate": "agent_message_chunk", "messageId": "acp-check-m", "content": text});
    t.notify("session/update", json!({"sessionId": "acp-check-other", "update": update})).await?;
    t.say(json!({"content": text})).await?;
    t.goes_on("an update of another session").await
}

/// Stops a scenario for a client that has called none of these methods.
fn calls(t: &Stage, methods: &[&str], reason: &str) -> Step {
    let called = |method: &str| methods.contains(&method);
    let mut lines = t.lines().iter().filter_map(crate::peer::Line::json);
    match lines.any(|json| json.get("method").and_then(|method| method.as_str()).is_some_and(called)) {
        true => Ok(()),
        false => Err(Stop::NotApplicable(reason.to_owned())),
    }
}

/// Goes on to the prompt, and lets a client that ends before it say why that matters.
async fn prompts(t: &mut Stage, methods: &[&str], reason: &str) -> Step {
    let ended = t.ready().await;
    calls(t, methods, reason)?;
    ended
}

async fn null_load(t: &mut Stage) -> Step {
    t.agent.null_load = true;
    let ended = t.ready().await;
    calls(t, &["session/load"], "the client loads no session")?;
    if matches!(ended, Err(Stop::Gone(_))) && t.sets {
        let reason = "the client gives up: it may have been told to set what `null` does not list";
        return Err(Stop::Inconclusive(reason.to_owned()));
    }
    ended?;
    t.goes_on("`null` as the answer to `session/load`").await
}

async fn replay(t: &mut Stage) -> Step {
    let text = |text: &str| json!({"type": "text", "text": text});
    t.agent.replay = vec![
        json!({"sessionUpdate": "user_message_chunk", "content": text("hello")}),
        json!({"sessionUpdate": "agent_message_chunk", "content": text("acp-check replay")}),
        json!({"sessionUpdate": "tool_call", "toolCallId": "acp-check-old", "title": "Old"}),
    ];
    prompts(t, &["session/load"], "the client loads no session").await?;
    t.goes_on("updates before the answer to `session/load`").await
}

async fn nulls(t: &mut Stage) -> Step {
    t.agent.nulls = true;
    let methods = ["authenticate", "session/set_mode", "session/close"];
    prompts(t, &methods, "the client calls nothing whose answer may be `null`").await?;
    t.goes_on("answers that are `null`").await
}

async fn bad_entries(t: &mut Stage) -> Step {
    t.agent.listed = vec![json!(5), json!({"sessionId": 5, "cwd": "/"}), json!({"title": "no id"})];
    prompts(t, &["session/list"], "the client lists no sessions").await?;
    t.goes_on("a list with malformed entries").await
}
