//! JSON-RPC: ids, unknown methods, lines that are not messages, notifications.

use serde_json::{Value, json};

use super::permission::{OPTIONS, options, question, tool};
use crate::check::case::{Case, case};
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::either::{self, answers, request};
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-tr-01", "the client starts its agent and initializes it", starts),
    case!("v1-rpc-06", "two notifications, one of them malformed, then a request", no_answer).survives(),
    case!("v1-rpc-09", "a request under the id that the open prompt has", same_id).survives(),
    case!("v1-rpc-10", "a request without `params`, and one with `null`", no_params),
    case!("v1-rpc-13", "a method whose capability was not advertised", unadvertised),
    case!("v1-rpc-16", "a line that is not JSON", not_json).survives(),
    case!("v1-rpc-19", "a permission request without `options`", missing_member),
    case!("v1-rpc-22", "a permission request with malformed strict members", strict_member),
    case!("v1-tr-09", "blank lines, then a request", either::blank_lines).survives(),
];

async fn starts(t: &mut Stage) -> Step {
    match t.reach(Point::Initialized).await {
        Ok(()) => Ok(()),
        Err(Stop::Inconclusive(reason) | Stop::Gone(reason) | Stop::Silent(reason)) => {
            Err(Stop::Fail(reason))
        }
        Err(stop) => Err(stop),
    }
}

async fn no_answer(t: &mut Stage) -> Step {
    either::no_answer(t, ["session/update", "sessionId"]).await
}

pub(in crate::check::client_side) async fn same_id(t: &mut Stage) -> Step {
    t.turn().await?;
    let id = t.agent.prompt.as_ref().and_then(|prompt| prompt.id().cloned()).unwrap_or_default();
    request(t, &id, json!({})).await?;
    let seen = t.next_answer().await?;
    match seen.id() {
        Some(seen) if *seen == id => t.goes_on("a request under the prompt's id").await,
        seen => Err(Stop::Fail(format!("expected an answer with the id {id}, seen {seen:?}"))),
    }
}

async fn no_params(t: &mut Stage) -> Step {
    t.ready().await?;
    let without = json!({"jsonrpc": "2.0", "id": "acp-check-p", "method": "_acp_check/none"});
    t.raw(&without.to_string()).await?;
    let first = t.next_answer().await?;
    request(t, &json!("acp-check-q"), Value::Null).await?;
    for answer in [first, t.next_answer().await?] {
        if answer.code().is_some_and(|code| code == -32600 || code == -32700) {
            return Err(Stop::Fail("a request without params is refused as malformed".to_owned()));
        }
    }
    Ok(())
}

async fn unadvertised(t: &mut Stage) -> Step {
    t.ready().await?;
    let path = t.options.cwd.join("acp-check-none.txt");
    let form =
        json!({"mode": "form", "message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    for (capability, method, params) in [
        ("fs.readTextFile", "fs/read_text_file", json!({"path": path})),
        ("fs.writeTextFile", "fs/write_text_file", json!({"path": path, "content": ""})),
        ("terminal", "terminal/create", json!({"command": "acp-check-none"})),
        ("elicitation.form", "elicitation/create", form),
    ] {
        if matches!(t.capability(capability).await?, Value::Null | Value::Bool(false)) {
            return t.ask(method, params).await?.refused(&[-32601], method);
        }
    }
    Err(Stop::NotApplicable("the client advertises every method that needs a capability".to_owned()))
}

/// Agents are known to print other texts, so a client may also pass over the line.
async fn not_json(t: &mut Stage) -> Step {
    match answers(t, "{").await?.as_slice() {
        [] => Ok(()),
        [answer] if answer.code() == Some(-32700) && answer.id().is_none_or(Value::is_null) => Ok(()),
        _ => Err(Stop::Fail(
            "half an object: expected nothing, or one error -32700 with the id null".to_owned(),
        )),
    }
}

async fn missing_member(t: &mut Stage) -> Step {
    let mut params = question(t.options.version, &tool(), &Value::Null);
    if let Some(members) = params.as_object_mut() {
        members.remove("options");
    }
    let reply = t.ask("session/request_permission", params).await?;
    reply.refused(&[-32602], "a permission request without `options`")
}

async fn strict_member(t: &mut Stage) -> Step {
    let version = t.options.version;
    for params in [
        question(version, &tool(), &json!(5)),
        question(version, &json!({"title": "no id"}), &options(OPTIONS)),
    ] {
        let reply = t.ask("session/request_permission", params).await?;
        reply.refused(&[-32602], "a permission request with a malformed member")?;
    }
    Ok(())
}
