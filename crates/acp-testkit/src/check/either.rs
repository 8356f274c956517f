//! Cases that are the same for agents and for clients: the envelope of JSON-RPC.

use serde_json::{Value, json};

use super::case::{Case, case};
use super::subject::{Step, Subject};
use super::verdict::Stop;
use crate::peer::Message;

/// A side with the cases that both sides have.
pub(super) trait Either: Subject + Sized {
    /// The cases.
    const CASES: &'static [Case<Self>] = &[
        case!("v1-rpc-03", "requests with the ids 0, -1, \"0\" and a long string", ids),
        case!("v1-rpc-12", "methods that nobody has", unknown_methods),
        case!("v1-rpc-14", "an unknown notification, then a request", unknown_notification).survives(),
        case!("v1-rpc-17", "JSON that is not a message", not_a_message).survives(),
        case!("v1-rpc-18", "an empty array and an array of two requests", arrays).survives(),
        case!("v1-ext-06", "a custom request", custom_request),
        case!("v1-ext-07", "an unknown custom notification, then a request", custom_notification).survives(),
        case!("v1-err-07", "an answer to a request that was never made", stray_answer).survives(),
    ];
}

impl<S: Subject> Either for S {}

/// Sends a request that every side answers.
pub(super) async fn request<S: Subject>(t: &mut S, id: &Value, params: Value) -> Step {
    let method = "_acp_check/fence";
    t.raw(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await
}

pub(super) async fn ids<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    for id in [json!(0), json!(-1), json!("0"), json!("acp-check-\u{e9}\u{1f980}-0123456789abcdef")] {
        request(t, &id, json!({})).await?;
        let seen = t.next_answer().await?;
        if seen.id() != Some(&id) {
            let seen = seen.id().unwrap_or(&Value::Null);
            return Err(Stop::Fail(format!("expected an answer with the id {id}, seen one with {seen}")));
        }
    }
    Ok(())
}

pub(super) async fn unknown_methods<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    for method in ["_acp_check/none", "acp_check/none"] {
        t.call(method, json!({})).await?.refused(&[-32601], method)?;
    }
    Ok(())
}

/// Sends a custom notification, and one that breaks its schema. Nothing may answer them.
pub(super) async fn no_answer<S: Subject>(t: &mut S, [method, member]: [&str; 2]) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!({"a": 1})).await?;
    t.notify(method, json!({member: 5})).await?;
    t.goes_on("a notification").await
}

async fn unknown_notification<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    t.notify("acp_check/event", json!({})).await?;
    t.notify("$/acp_check", json!({})).await?;
    t.goes_on("an unknown notification").await
}

async fn custom_notification<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    t.notify("_acp_check/event", json!([1, {"a": null}])).await?;
    t.goes_on("a custom notification").await
}

async fn custom_request<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    // Any answer will do: the other side may know the method.
    t.call("_acp_check/none", json!([1])).await.map(drop)
}

async fn stray_answer<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    t.raw(r#"{"jsonrpc":"2.0","id":987654321,"result":{}}"#).await?;
    t.raw(r#"{"jsonrpc":"2.0","id":"acp-check-none","error":{"code":-32603,"message":"none"}}"#).await?;
    t.goes_on("an answer to no request").await
}

/// Sends a line as it is. Returns the answers to it.
pub(super) async fn answers<S: Subject>(t: &mut S, line: &str) -> Step<Vec<Message>> {
    t.ready().await?;
    t.raw(line).await?;
    let mut answers = t.fence().await?;
    answers.extend(t.fence().await?);
    answers.retain(Message::is_answer);
    Ok(answers)
}

/// Sends a line that must get exactly one error without an id, and must not end the connection.
pub(super) async fn broken<S: Subject>(t: &mut S, line: &str, code: i64, of: &str) -> Step {
    match answers(t, line).await?.as_slice() {
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

async fn not_a_message<S: Subject>(t: &mut S) -> Step {
    broken(t, "42", -32600, "a number").await?;
    broken(t, r#"{"jsonrpc":"2.0"}"#, -32600, "an object without a method").await
}

pub(super) async fn arrays<S: Subject>(t: &mut S) -> Step {
    broken(t, "[]", -32600, "an empty array").await?;
    let request = |id| json!({"jsonrpc": "2.0", "id": id, "method": "_acp_check/fence", "params": {}});
    let array = json!([request("acp-check-a"), request("acp-check-b")]).to_string();
    broken(t, &array, -32600, "an array of requests").await
}

/// Sends blank lines. They may not be answered.
pub(super) async fn blank_lines<S: Subject>(t: &mut S) -> Step {
    t.ready().await?;
    t.raw("\n\n").await?;
    t.goes_on("a blank line").await
}
