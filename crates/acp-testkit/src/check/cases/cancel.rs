//! `session/cancel` and `$/cancel_request`.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::never::{NO_ENDLESS_PROMPT, Never};
use crate::check::subject::{Reply, Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-cancel-04", "a turn is cancelled", in_time),
    case!("v1-cancel-05", "a turn is cancelled", reason),
    case!("v1-cancel-06", "a turn is cancelled", no_error),
    case!("v1-cancel-10", "`session/cancel` of a session that nobody has", unknown_session).survives(),
    case!("v1-cancel-11", "`session/cancel` between two turns", idle).survives(),
    case!("v1-creq-03", "`$/cancel_request` for a prompt", request),
    case!("v1-creq-06", "`$/cancel_request` for ids without a request", finished_request).survives(),
    case!("v1-creq-10", "`$/cancel_request` with the id as a string", other_type),
];

async fn cancel(t: &mut Tester, session: &str) -> Step {
    t.notify("session/cancel", json!({"sessionId": session})).await
}

/// Cancels a turn and returns its answer.
async fn cancelled(t: &mut Tester) -> Step<Reply> {
    let session = t.new_session().await?;
    let endless = t.endless();
    let turn = t.start(&session, &endless).await?;
    t.begun(&session).await?;
    cancel(t, &session).await?;
    t.reply(&turn).await
}

async fn in_time(t: &mut Tester) -> Step {
    match cancelled(t).await {
        Err(Stop::Silent(reason)) => Err(Stop::Fail(format!("the turn does not end: {reason}"))),
        ended => ended.map(drop),
    }
}

async fn no_error(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    let prompt = t.options.prompt.clone();
    // Without a model every turn ends with an error, whether it is cancelled or not.
    t.turn(&session, &prompt).await?;
    match cancelled(t).await?.message.code() {
        None => Ok(()),
        // A prompt of any kind may fail by itself.
        Some(code) if t.options.endless_prompt.is_none() => {
            Err(Stop::Inconclusive(format!("the turn ends with the error {code}")))
        }
        Some(code) => Err(Stop::Fail(format!("the cancelled turn ends with the error {code}"))),
    }
}

async fn reason(t: &mut Tester) -> Step {
    let reply = cancelled(t).await?;
    let endless = t.options.endless_prompt.is_some();
    match (reply.stop_reason(), reply.message.code()) {
        (Some("cancelled"), _) => Ok(()),
        (Some(seen), _) if endless => {
            Err(Stop::Fail(format!("expected the stop reason `cancelled`, seen `{seen}`")))
        }
        (Some(_), _) => Err(t.options.without(Never::Endless, "the turn has ended before its cancellation")),
        (None, Some(code)) => Err(Stop::Inconclusive(format!("the turn ends with the error {code}"))),
        (None, None) => Err(Stop::Fail("the result has no `stopReason`".to_owned())),
    }
}

async fn quiet(t: &mut Tester, of: &str) -> Step {
    for _ in 0..2 {
        if t.fence().await?.iter().any(|message| message.is_answer()) {
            return Err(Stop::Fail(format!("{of}: expected no answer, seen one")));
        }
    }
    Ok(())
}

async fn unknown_session(t: &mut Tester) -> Step {
    t.ready().await?;
    cancel(t, "acp-check-none").await?;
    quiet(t, "`session/cancel` of an unknown session").await
}

async fn idle(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let prompt = t.options.prompt.clone();
    t.turn(&session, &prompt).await?;
    cancel(t, &session).await?;
    quiet(t, "`session/cancel` of an idle session").await?;
    let reply = t.turn(&session, &prompt).await?;
    match reply.stop_reason() {
        Some("cancelled") => Err(Stop::Fail("the next turn is cancelled".to_owned())),
        _ => Ok(()),
    }
}

async fn cancel_request(t: &mut Tester, id: &Value) -> Step {
    t.notify("$/cancel_request", json!({"requestId": id})).await
}

async fn request(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    let endless = t.endless();
    let turn = t.start(&session, &endless).await?;
    t.begun(&session).await?;
    cancel_request(t, &turn).await?;
    // An agent may ignore the first of the two.
    cancel(t, &session).await?;
    let reply = t.reply(&turn).await.map_err(|stop| match stop {
        Stop::Silent(reason) => Stop::Fail(format!("the cancelled request is not answered: {reason}")),
        stop => stop,
    })?;
    match reply.message.code() {
        None | Some(-32800) => quiet(t, "a cancelled request that was answered").await,
        Some(code) if t.options.endless_prompt.is_none() => {
            Err(Stop::Inconclusive(format!("the turn ends with the error {code}")))
        }
        Some(code) => {
            Err(Stop::Fail(format!("expected a result or the error -32800, seen the error {code}")))
        }
    }
}

pub(in crate::check) async fn finished_request(t: &mut Tester) -> Step {
    t.ready().await?;
    let id = t.request("_acp_check/fence", json!({})).await?;
    t.reply(&id).await?;
    for id in [json!(99_999), id, json!("acp-check-none"), Value::Null] {
        cancel_request(t, &id).await?;
    }
    quiet(t, "`$/cancel_request` without a request").await
}

async fn other_type(t: &mut Tester) -> Step {
    if t.options.endless_prompt.is_none() {
        return Err(t.options.without(Never::Endless, NO_ENDLESS_PROMPT));
    }
    let session = t.new_session().await?;
    let endless = t.endless();
    let turn = t.start(&session, &endless).await?;
    t.begun(&session).await?;
    cancel_request(t, &turn.to_string().into()).await?;
    let mut before = t.fence().await?;
    before.extend(t.fence().await?);
    if let Some(message) =
        before.into_iter().find(|message| message.is_answer() && message.id() == Some(&turn))
    {
        let reply = Reply { message, before: Vec::new() };
        return Err(match (reply.message.code(), reply.stop_reason()) {
            (Some(-32800), _) | (_, Some("cancelled")) => {
                Stop::Fail(format!("the id \"{turn}\" has cancelled the request {turn}"))
            }
            // It may have ended by itself.
            _ => Stop::Inconclusive("the turn has ended, and not as a cancelled one".to_owned()),
        });
    }
    cancel(t, &session).await?;
    t.reply(&turn).await.map(drop)
}
