//! Permission requests, and tool calls as a client reads them in such a request.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;
use crate::check::version::Version;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-cap-07", "an update, and a permission request", baseline).survives(),
    case!("v1-perm-06", "permission requests with options of each kind", kinds),
    case!("v1-perm-07", "a permission request with a malformed option", bad_option),
    case!("v1-rpc-20", "members that the schema does not have", extra_members).survives(),
    case!("v1-rpc-21", "malformed members that are read as absent", lenient_members).survives(),
    case!("v1-ext-02", "a `_meta` that is not an object", odd_meta).survives(),
];

/// The kinds of an ordinary question.
pub(in crate::check::client_side) const OPTIONS: &[&str] = &["allow_once", "reject_once"];

/// Returns options of these kinds.
pub(in crate::check::client_side) fn options(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({"optionId": kind, "name": kind, "kind": kind})).collect()
}

/// Returns an ordinary tool call.
pub(in crate::check::client_side) fn tool() -> Value {
    json!({"toolCallId": "acp-check-tool", "title": "Work"})
}

/// Returns the params of a question about a tool call.
pub(in crate::check::client_side) fn question(version: Version, call: &Value, options: &Value) -> Value {
    match version {
        Version::V1 => json!({"toolCall": call, "options": options}),
        #[cfg(feature = "v2")]
        Version::V2 => {
            let subject = json!({"type": "tool_call", "toolCall": call});
            json!({"title": "Work", "subject": subject, "options": options})
        }
    }
}

/// Asks for permission, and returns the result. A client that asks a user leaves the rule open.
pub(in crate::check::client_side) async fn consent(t: &mut Stage, params: Value, of: &str) -> Step<Value> {
    if let Some(reason) = &t.no_consent {
        return Err(Stop::Inconclusive(reason.clone()));
    }
    let plain = question(t.options.version, &tool(), &options(OPTIONS));
    if t.answers_alone || params == plain {
        let reply = t.ask("session/request_permission", params).await?;
        t.answers_alone = true;
        return reply.result(of).cloned();
    }
    let first = t.ask("session/request_permission", plain).await;
    let open = match first {
        Ok(reply) if reply.message.result().is_some() => None,
        Ok(_) => Some("the client refuses an ordinary permission request"),
        Err(Stop::Silent(_)) => Some("the client leaves permission requests to a user"),
        Err(stop) => return Err(stop),
    };
    if let Some(reason) = open {
        t.no_consent = Some(reason.to_owned());
        return Err(Stop::Inconclusive(reason.to_owned()));
    }
    t.answers_alone = true;
    let reply = t.ask("session/request_permission", params).await?;
    reply.result(of).cloned()
}

/// Asks for permission for a tool call with these members, which a client can read.
pub(in crate::check::client_side) async fn reads(t: &mut Stage, members: Value, of: &str) -> Step {
    let mut call = tool();
    for (name, value) in members.as_object().into_iter().flatten() {
        call = with(call, name, value.clone());
    }
    let params = question(t.options.version, &call, &options(OPTIONS));
    consent(t, params, of).await.map(drop)
}

async fn baseline(t: &mut Stage) -> Step {
    t.say(json!({"content": {"type": "text", "text": "hello"}})).await?;
    t.goes_on("an update").await?;
    if let Some(reason) = &t.no_consent {
        return Err(Stop::Inconclusive(reason.clone()));
    }
    let params = question(t.options.version, &tool(), &options(OPTIONS));
    match consent(t, params, "an ordinary permission request").await {
        Err(Stop::Silent(_)) => {
            let reason = "the client leaves permission requests to a user".to_owned();
            t.no_consent = Some(reason.clone());
            Err(Stop::Inconclusive(reason))
        }
        answer => answer.map(drop),
    }
}

async fn kinds(t: &mut Stage) -> Step {
    for kind in ["allow_once", "allow_always", "reject_once", "reject_always"] {
        let params = question(t.options.version, &tool(), &options(&[kind]));
        consent(t, params, &format!("an option of the kind `{kind}`")).await?;
    }
    Ok(())
}

async fn bad_option(t: &mut Stage) -> Step {
    let options = json!([{"optionId": "a", "name": "A", "kind": "allow_once"}, {"optionId": "b"}]);
    let reply = t.ask("session/request_permission", json!({"toolCall": tool(), "options": options})).await?;
    reply.refused(&[-32602], "a permission request with a malformed option")
}

async fn extra_members(t: &mut Stage) -> Step {
    let future = json!({"deep": [1, {"er": null}]});
    let text = json!({"type": "text", "text": "hello", "acpCheckFuture": future});
    t.say(json!({"content": text, "acpCheckFuture": 1})).await?;
    t.goes_on("an update with unknown members").await?;
    reads(t, json!({"acpCheckFuture": future}), "a tool call with an unknown member").await
}

async fn lenient_members(t: &mut Stage) -> Step {
    let odd = json!({"title": 5, "kind": [], "status": 7, "locations": "x", "content": 1});
    let update = with(odd.clone(), "sessionUpdate", "tool_call_update".into());
    t.update(with(update, "toolCallId", "acp-check-odd".into())).await?;
    t.goes_on("an update with malformed lenient members").await?;
    reads(t, odd, "a tool call with malformed lenient members").await
}

async fn odd_meta(t: &mut Stage) -> Step {
    let text = json!({"type": "text", "text": "hello", "_meta": 5});
    t.say(json!({"content": text, "_meta": []})).await?;
    t.goes_on("an update with a number as `_meta`").await?;
    reads(t, json!({"_meta": 5}), "a tool call with a number as `_meta`").await
}
