//! `session/cancel` of the client, and `$/cancel_request` of the agent.

use serde_json::{Value, json};

use super::permission::{OPTIONS, consent, options, question, tool};
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-cancel-03", "the client cancels a turn that has a permission request", pending).fresh(),
    case!("v1-cancel-09", "updates of a tool call after `session/cancel`", late).fresh().survives(),
    case!("v1-creq-03", "`$/cancel_request` for a permission request", request),
    case!("v1-creq-06", "`$/cancel_request` for ids without a request", finished).survives(),
    case!("v1-creq-10", "`$/cancel_request` with the id as a string", other_type),
];

/// Asks for permission, and returns the id of the request. It may have been answered already: the
/// second value is true then.
pub(in crate::check::client_side) async fn asked(t: &mut Stage) -> Step<(Value, bool)> {
    let session = t.turn().await?;
    let params = question(t.options.version, &tool(), &options(OPTIONS));
    let params = with(params, "sessionId", session.into());
    let id = t.peer().await?.request("session/request_permission", params).await?;
    let mut seen = t.fence().await?;
    seen.extend(t.fence().await?);
    let answered = seen.iter().any(|message| message.is_answer() && message.id() == Some(&id));
    Ok((id, answered))
}

async fn pending(t: &mut Stage) -> Step {
    let (id, answered) = asked(t).await?;
    if answered {
        return Err(Stop::NotApplicable("the client answers permission requests at once".to_owned()));
    }
    t.awaited = Some(id.clone());
    t.cancelled().await?;
    if t.early.take().is_some() {
        let reason = "the client has answered the permission request before it has cancelled the turn";
        return Err(Stop::NotApplicable(reason.to_owned()));
    }
    let reply = t.reply(&id).await?.message;
    let outcome = reply.result().and_then(|result| result.pointer("/outcome/outcome"));
    match outcome.and_then(Value::as_str) {
        Some("cancelled") => Ok(()),
        Some(seen) => Err(Stop::Fail(format!("expected the outcome `cancelled`, seen `{seen}`"))),
        // The rule about errors looks at it.
        None => Ok(()),
    }
}

async fn late(t: &mut Stage) -> Step {
    let session = t.turn().await?;
    t.cancelled().await?;
    let update = |update: Value| json!({"sessionId": session, "update": update});
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "acp-check-late", "title": "Late"});
    t.notify("session/update", update(call)).await?;
    let ended =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "acp-check-late", "status": "failed"});
    t.notify("session/update", update(ended)).await?;
    t.fence().await.map(drop)?;
    t.finish("cancelled").await
}

pub(in crate::check::client_side) async fn cancel_request(t: &mut Stage, id: &Value) -> Step {
    t.notify("$/cancel_request", json!({"requestId": id})).await
}

pub(in crate::check::client_side) async fn request(t: &mut Stage) -> Step {
    let session = t.turn().await?;
    let params = question(t.options.version, &tool(), &options(OPTIONS));
    let params = with(params, "sessionId", session.into());
    let id = t.peer().await?.request("session/request_permission", params).await?;
    cancel_request(t, &id).await?;
    let reply = t.reply(&id).await.map_err(|stop| match stop {
        Stop::Silent(_) => Stop::Inconclusive("the client leaves permission requests to a user".to_owned()),
        stop => stop,
    })?;
    match reply.message.code() {
        None | Some(-32800) => t.goes_on("a cancelled request that was answered").await,
        Some(code) => {
            Err(Stop::Fail(format!("expected a result or the error -32800, seen the error {code}")))
        }
    }
}

pub(in crate::check::client_side) async fn finished(t: &mut Stage) -> Step {
    t.ready().await?;
    let id = t.peer().await?.request("_acp_check/fence", json!({})).await?;
    t.reply(&id).await?;
    for id in [json!(99_999), id, json!("acp-check-none"), Value::Null] {
        cancel_request(t, &id).await?;
    }
    t.goes_on("`$/cancel_request` without a request").await
}

async fn other_type(t: &mut Stage) -> Step {
    // A client that answers by itself may do so a little later.
    let params = question(t.options.version, &tool(), &options(OPTIONS));
    match consent(t, params, "a question").await {
        Err(Stop::Gone(reason)) => return Err(Stop::Gone(reason)),
        Err(_) => {}
        Ok(_) => {
            let reason = "the client answers permission requests by itself";
            return Err(Stop::NotApplicable(reason.to_owned()));
        }
    }
    let (id, answered) = asked(t).await?;
    if answered {
        return Err(Stop::NotApplicable("the client answers permission requests at once".to_owned()));
    }
    cancel_request(t, &id.to_string().into()).await?;
    let mut seen = t.fence().await?;
    seen.extend(t.fence().await?);
    // The question must not stay open for the next scenario.
    cancel_request(t, &id).await?;
    if seen.iter().any(|message| message.is_answer() && message.id() == Some(&id)) {
        return Err(Stop::Fail(format!("the id \"{id}\" has cancelled the request {id}")));
    }
    // A client that does not serve the method leaves it open.
    t.fence().await.map(drop)
}
