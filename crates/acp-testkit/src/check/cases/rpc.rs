//! JSON-RPC, as far as it is about agents: members of requests, lines that are not messages.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::either;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(in crate::check) const CASES: &[Case<Tester>] = &[
    case!("v1-tr-01", "the agent answers over its stdin and stdout", starts),
    case!("v1-rpc-06", "two notifications, one of them malformed, then a request", no_answer).survives(),
    case!("v1-rpc-13", "a method whose capability was not advertised", unadvertised),
    case!("v1-rpc-16", "a line that is not JSON", not_json).survives(),
    case!("v1-rpc-19", "`session/prompt` without `prompt`", missing_member),
    case!("v1-rpc-20", "members that the schema does not have", extra_members),
    case!("v1-rpc-22", "a malformed value of a strict member", strict_member),
    case!("v1-tr-09", "blank lines, and a last line without its end", blank_lines).fresh().survives(),
    case!("v1-ext-02", "a `_meta` that is not an object", odd_meta),
];

async fn starts(t: &mut Tester) -> Step {
    match t.ready().await {
        Ok(_) => Ok(()),
        Err(Stop::Inconclusive(reason)) => Err(Stop::Fail(reason)),
        Err(stop) => Err(stop),
    }
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

async fn no_answer(t: &mut Tester) -> Step {
    either::no_answer(t, ["session/cancel", "sessionId"]).await
}

async fn not_json(t: &mut Tester) -> Step {
    either::broken(t, "{", -32700, "half an object").await
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

async fn blank_lines(t: &mut Tester) -> Step {
    either::blank_lines(t).await?;
    let last = r#"{"jsonrpc":"2.0","id":"acp-check-last","method":"_acp_check/fence","params":{}}"#;
    let peer = t.peer().await?;
    peer.raw(last).await?;
    peer.close().await;
    let gone = || Stop::Fail("the last line was not answered, which had no line end".to_owned());
    let answer =
        t.next_answer().await.map_err(|stop| if matches!(stop, Stop::Gone(_)) { gone() } else { stop })?;
    if answer.id().is_some_and(|id| id == "acp-check-last") { Ok(()) } else { Err(gone()) }
}
