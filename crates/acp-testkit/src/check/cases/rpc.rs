//! JSON-RPC: ids, unknown methods, lines that are not messages, notifications.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::tester::{Step, Tester};
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(in crate::check) const CASES: &[Case] = &[
    case!("v1-tr-01", "the agent answers over its stdin and stdout", starts),
    case!("v1-rpc-03", "requests with the ids 0, -1, \"0\" and a long string", ids),
    case!("v1-rpc-06", "two notifications, one of them malformed, then a request", no_answer).survives(),
    case!("v1-rpc-12", "methods that nobody has", unknown_methods),
    case!("v1-rpc-13", "a method whose capability was not advertised", unadvertised),
    case!("v1-rpc-14", "an unknown notification, then a request", unknown_notification).survives(),
    case!("v1-rpc-16", "a line that is not JSON", not_json).survives(),
    case!("v1-rpc-17", "JSON that is not a message", not_a_message).survives(),
    case!("v1-rpc-18", "an empty array and an array of two requests", arrays).survives(),
    case!("v1-rpc-19", "`session/prompt` without `prompt`", missing_member),
    case!("v1-rpc-20", "members that the schema does not have", extra_members),
    case!("v1-rpc-22", "a malformed value of a strict member", strict_member),
    case!("v1-tr-09", "blank lines, and a last line without its end", blank_lines).fresh().survives(),
    case!("v1-ext-02", "a `_meta` that is not an object", odd_meta),
    case!("v1-ext-06", "a custom request", custom_request),
    case!("v1-ext-07", "an unknown custom notification, then a request", custom_notification).survives(),
    case!("v1-err-07", "an answer to a request that was never made", stray_answer).survives(),
];

async fn starts(t: &mut Tester) -> Step {
    match t.ready().await {
        Ok(_) => Ok(()),
        Err(Stop::Inconclusive(reason)) => Err(Stop::Fail(reason)),
        Err(stop) => Err(stop),
    }
}

pub(in crate::check) async fn ids(t: &mut Tester) -> Step {
    t.ready().await?;
    for id in [json!(0), json!(-1), json!("0"), json!("acp-check-\u{e9}\u{1f980}-0123456789abcdef")] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "_acp_check/fence", "params": {}});
        t.raw(&request.to_string()).await?;
        let seen = next_answer(t).await?;
        if seen.id() != Some(&id) {
            let seen = seen.id().unwrap_or(&Value::Null);
            return Err(Stop::Fail(format!("expected an answer with the id {id}, seen one with {seen}")));
        }
    }
    Ok(())
}

async fn next_answer(t: &mut Tester) -> Step<Message> {
    loop {
        let message = t.next("an answer").await?;
        if message.is_answer() {
            return Ok(message);
        }
    }
}

/// Checks that nothing was answered before a fence.
pub(in crate::check) async fn silence(t: &mut Tester, of: &str) -> Step {
    // The second fence catches an answer that a task gives after the first.
    for _ in 0..2 {
        if let Some(answer) = t.fence().await?.iter().find(|message| message.is_answer()) {
            let id = answer.id().unwrap_or(&Value::Null);
            return Err(Stop::Fail(format!("{of}: expected no answer, seen one with the id {id}")));
        }
    }
    Ok(())
}

async fn no_answer(t: &mut Tester) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!({"a": 1})).await?;
    t.notify("session/cancel", json!({"sessionId": 5})).await?;
    silence(t, "a notification").await
}

async fn unknown_notification(t: &mut Tester) -> Step {
    t.ready().await?;
    t.notify("acp_check/event", json!({})).await?;
    t.notify("$/acp_check", json!({})).await?;
    silence(t, "an unknown notification").await
}

async fn custom_notification(t: &mut Tester) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!([1, {"a": null}])).await?;
    silence(t, "a custom notification").await
}

async fn stray_answer(t: &mut Tester) -> Step {
    t.ready().await?;
    t.raw(r#"{"jsonrpc":"2.0","id":987654321,"result":{}}"#).await?;
    t.raw(r#"{"jsonrpc":"2.0","id":"acp-check-none","error":{"code":-32603,"message":"none"}}"#).await?;
    silence(t, "an answer to no request").await
}

pub(in crate::check) async fn unknown_methods(t: &mut Tester) -> Step {
    t.ready().await?;
    for method in ["_acp_check/none", "acp_check/none"] {
        t.call(method, json!({})).await?.refused(&[-32601], method)?;
    }
    Ok(())
}

async fn unadvertised(t: &mut Tester) -> Step {
    let session = json!({"sessionId": "acp-check-none", "cwd": t.options.cwd, "mcpServers": []});
    for (capability, method) in [
        ("sessionCapabilities.list", "session/list"),
        ("sessionCapabilities.close", "session/close"),
        ("sessionCapabilities.delete", "session/delete"),
        ("sessionCapabilities.resume", "session/resume"),
        ("loadSession", "session/load"),
        ("auth.logout", "logout"),
    ] {
        if matches!(t.capability(capability).await?, Value::Null | Value::Bool(false)) {
            let params = if method == "logout" { json!({}) } else { session };
            return t.call(method, params).await?.refused(&[-32601], method);
        }
    }
    Err(Stop::NotApplicable("the agent advertises every method that needs a capability".to_owned()))
}

/// Sends a line that must get exactly one error without an id, and must not end the connection.
pub(in crate::check) async fn broken(t: &mut Tester, line: &str, code: i64, of: &str) -> Step {
    t.ready().await?;
    t.raw(line).await?;
    let mut answers = Vec::new();
    for _ in 0..2 {
        answers.extend(t.fence().await?.into_iter().filter(Message::is_answer));
    }
    match answers.as_slice() {
        [answer] if answer.code() == Some(code) && answer.id().is_none_or(Value::is_null) => Ok(()),
        [answer] => {
            let expected = format!("the error {code} with the id null");
            Err(Stop::Fail(format!("{of}: expected {expected}, seen {}", **answer)))
        }
        answers => {
            Err(Stop::Fail(format!("{of}: expected one error {code}, seen {} answers", answers.len())))
        }
    }
}

async fn not_json(t: &mut Tester) -> Step {
    broken(t, "{", -32700, "half an object").await
}

async fn not_a_message(t: &mut Tester) -> Step {
    broken(t, "42", -32600, "a number").await?;
    broken(t, r#"{"jsonrpc":"2.0"}"#, -32600, "an object without a method").await
}

pub(in crate::check) async fn arrays(t: &mut Tester) -> Step {
    broken(t, "[]", -32600, "an empty array").await?;
    let request = |id| json!({"jsonrpc": "2.0", "id": id, "method": "_acp_check/fence", "params": {}});
    let array = json!([request("acp-check-a"), request("acp-check-b")]).to_string();
    broken(t, &array, -32600, "an array of requests").await
}

async fn missing_member(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let reply = t.call("session/prompt", json!({"sessionId": session})).await?;
    reply.refused(&[-32602], "`session/prompt` without `prompt`")
}

async fn extra_members(t: &mut Tester) -> Step {
    t.ready().await?;
    let params = with(t.setup(), "acpCheckFuture", json!({"deep": [1, {"er": null}]}));
    let reply = t.call("session/new", params).await?;
    match reply.message.code() {
        // It says nothing about members.
        Some(-32000) => Err(Stop::Inconclusive("the agent wants a login first".to_owned())),
        _ => reply.result("`session/new` with an unknown member").map(drop),
    }
}

async fn strict_member(t: &mut Tester) -> Step {
    t.ready().await?;
    for (member, value) in [("cwd", json!(5)), ("mcpServers", json!(5)), ("mcpServers", json!([5]))] {
        let params = with(t.setup(), member, value);
        let of = format!("`session/new` with a malformed `{member}`");
        t.call("session/new", params).await?.refused(&[-32602], &of)?;
    }
    Ok(())
}

async fn odd_meta(t: &mut Tester) -> Step {
    t.ready().await?;
    let params = with(t.setup(), "_meta", json!(5));
    let reply = t.call("session/new", params).await?;
    match reply.message.code() {
        Some(-32000) => Err(Stop::Inconclusive("the agent wants a login first".to_owned())),
        _ => reply.result("`session/new` with a number as `_meta`").map(drop),
    }
}

async fn custom_request(t: &mut Tester) -> Step {
    t.ready().await?;
    // Any answer will do: an agent may know the method.
    t.call("_acp_check/none", json!([1])).await.map(drop)
}

async fn blank_lines(t: &mut Tester) -> Step {
    t.ready().await?;
    t.raw("\n\n").await?;
    silence(t, "a blank line").await?;
    let last = r#"{"jsonrpc":"2.0","id":"acp-check-last","method":"_acp_check/fence","params":{}}"#;
    let peer = t.peer()?;
    peer.raw(last).await?;
    peer.close().await;
    let gone = || Stop::Fail("the last line was not answered, which had no line end".to_owned());
    let answer =
        next_answer(t).await.map_err(|stop| if matches!(stop, Stop::Gone(_)) { gone() } else { stop })?;
    if answer.id().is_some_and(|id| id == "acp-check-last") { Ok(()) } else { Err(gone()) }
}
