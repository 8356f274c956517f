//! JSON-RPC: ids, unknown methods, lines that are not messages, notifications.

use serde_json::{Value, json};

use super::permission::{OPTIONS, options, tool};
use crate::check::client_side::case::{Case, case};
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::tester::Step;
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(super) const CASES: &[Case] = &[
    case!("v1-tr-01", "the client starts its agent and initializes it", starts),
    case!("v1-rpc-03", "requests with the ids 0, -1, \"0\" and a long string", ids),
    case!("v1-rpc-06", "two notifications, one of them malformed, then a request", no_answer).survives(),
    case!("v1-rpc-09", "a request under the id that the open prompt has", same_id).survives(),
    case!("v1-rpc-10", "a request without `params`, and one with `null`", no_params),
    case!("v1-rpc-12", "methods that nobody has", unknown_methods),
    case!("v1-rpc-13", "a method whose capability was not advertised", unadvertised),
    case!("v1-rpc-14", "an unknown notification, then a request", unknown_notification).survives(),
    case!("v1-rpc-16", "a line that is not JSON", not_json).survives(),
    case!("v1-rpc-17", "JSON that is not a message", not_a_message).survives(),
    case!("v1-rpc-18", "an empty array and an array of two requests", arrays).survives(),
    case!("v1-rpc-19", "a permission request without `options`", missing_member),
    case!("v1-rpc-22", "a permission request with malformed strict members", strict_member),
    case!("v1-tr-09", "blank lines, then a request", blank_lines).survives(),
    case!("v1-ext-06", "a custom request", custom_request),
    case!("v1-ext-07", "an unknown custom notification, then a request", custom_notification).survives(),
    case!("v1-err-07", "an answer to a request that was never made", stray_answer).survives(),
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

async fn ids(t: &mut Stage) -> Step {
    t.ready().await?;
    for id in [json!(0), json!(-1), json!("0"), json!("acp-check-\u{e9}\u{1f980}-0123456789abcdef")] {
        request(t, &id, json!({})).await?;
        let seen = next_answer(t).await?;
        if seen.id() != Some(&id) {
            let seen = seen.id().unwrap_or(&Value::Null);
            return Err(Stop::Fail(format!("expected an answer with the id {id}, seen one with {seen}")));
        }
    }
    Ok(())
}

async fn request(t: &mut Stage, id: &Value, params: Value) -> Step {
    let method = "_acp_check/fence";
    t.raw(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await
}

async fn next_answer(t: &mut Stage) -> Step<Message> {
    loop {
        let message = t.next("an answer").await?;
        if message.is_answer() {
            return Ok(message);
        }
    }
}

async fn no_answer(t: &mut Stage) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!({"a": 1})).await?;
    t.notify("session/update", json!({"sessionId": 5})).await?;
    t.goes_on("a notification").await
}

async fn same_id(t: &mut Stage) -> Step {
    t.turn().await?;
    let id = t.agent.prompt.as_ref().and_then(|prompt| prompt.id().cloned()).unwrap_or_default();
    request(t, &id, json!({})).await?;
    let seen = next_answer(t).await?;
    match seen.id() {
        Some(seen) if *seen == id => t.goes_on("a request under the prompt's id").await,
        seen => Err(Stop::Fail(format!("expected an answer with the id {id}, seen {seen:?}"))),
    }
}

async fn no_params(t: &mut Stage) -> Step {
    t.ready().await?;
    let without = json!({"jsonrpc": "2.0", "id": "acp-check-p", "method": "_acp_check/none"});
    t.raw(&without.to_string()).await?;
    let first = next_answer(t).await?;
    request(t, &json!("acp-check-q"), Value::Null).await?;
    for answer in [first, next_answer(t).await?] {
        if answer.code().is_some_and(|code| code == -32600 || code == -32700) {
            return Err(Stop::Fail("a request without params is refused as malformed".to_owned()));
        }
    }
    Ok(())
}

async fn unknown_notification(t: &mut Stage) -> Step {
    t.ready().await?;
    t.notify("acp_check/event", json!({})).await?;
    t.notify("$/acp_check", json!({})).await?;
    t.goes_on("an unknown notification").await
}

async fn custom_notification(t: &mut Stage) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!([1, {"a": null}])).await?;
    t.goes_on("a custom notification").await
}

async fn stray_answer(t: &mut Stage) -> Step {
    t.ready().await?;
    t.raw(r#"{"jsonrpc":"2.0","id":987654321,"result":{}}"#).await?;
    t.raw(r#"{"jsonrpc":"2.0","id":"acp-check-none","error":{"code":-32603,"message":"none"}}"#).await?;
    t.goes_on("an answer to no request").await
}

async fn unknown_methods(t: &mut Stage) -> Step {
    t.ready().await?;
    for method in ["_acp_check/none", "acp_check/none"] {
        t.call(method, json!({})).await?.refused(&[-32601], method)?;
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

/// Sends a line that must get exactly one error without an id, and must not end the connection.
async fn broken(t: &mut Stage, line: &str, code: i64, of: &str) -> Step {
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

/// Agents are known to print other texts, so a client may also pass over the line.
async fn not_json(t: &mut Stage) -> Step {
    t.ready().await?;
    t.raw("{").await?;
    let mut answers = t.fence().await?;
    answers.extend(t.fence().await?);
    answers.retain(Message::is_answer);
    match answers.as_slice() {
        [] => Ok(()),
        [answer] if answer.code() == Some(-32700) && answer.id().is_none_or(Value::is_null) => Ok(()),
        _ => Err(Stop::Fail(
            "half an object: expected nothing, or one error -32700 with the id null".to_owned(),
        )),
    }
}

async fn not_a_message(t: &mut Stage) -> Step {
    broken(t, "42", -32600, "a number").await?;
    broken(t, r#"{"jsonrpc":"2.0"}"#, -32600, "an object without a method").await
}

async fn arrays(t: &mut Stage) -> Step {
    broken(t, "[]", -32600, "an empty array").await?;
    let request = |id| json!({"jsonrpc": "2.0", "id": id, "method": "_acp_check/fence", "params": {}});
    let array = json!([request("acp-check-a"), request("acp-check-b")]).to_string();
    broken(t, &array, -32600, "an array of requests").await
}

async fn missing_member(t: &mut Stage) -> Step {
    let reply = t.ask("session/request_permission", json!({"toolCall": tool()})).await?;
    reply.refused(&[-32602], "a permission request without `options`")
}

async fn strict_member(t: &mut Stage) -> Step {
    for params in [
        json!({"toolCall": tool(), "options": 5}),
        json!({"toolCall": {"title": "no id"}, "options": options(OPTIONS)}),
    ] {
        let reply = t.ask("session/request_permission", params).await?;
        reply.refused(&[-32602], "a permission request with a malformed member")?;
    }
    Ok(())
}

async fn custom_request(t: &mut Stage) -> Step {
    t.ready().await?;
    // Any answer will do: a client may know the method.
    t.call("_acp_check/none", json!([1])).await.map(drop)
}

async fn blank_lines(t: &mut Stage) -> Step {
    t.ready().await?;
    t.raw("\n\n").await?;
    t.goes_on("a blank line").await
}
