//! `session/cancel` and `$/cancel_request`.

use serde_json::json;

use super::envelope::cancel_unknown;
use crate::check::case::{Case, case};
use crate::check::cases::cancel::finished_request;
use crate::check::never::Never;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::v2::ask;
use crate::check::v2::turn::{Turn, owed};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-cancel-01", "a turn is cancelled", in_time),
    case!("v2-cancel-02", "a turn is cancelled, and a session without work", reason),
    case!("v2-cancel-03", "a turn is cancelled", no_error),
    case!("v2-cancel-04", "a turn is cancelled that waits for permission", unanswered),
    case!("v2-cancel-06", "consent for a turn that was cancelled", late),
    case!("v2-creq-01", "`$/cancel_request` with the id of the agent's request", other_direction),
    case!("v2-creq-02", "`$/cancel_request` for `session/list`", answered),
    case!("v2-creq-03", "`$/cancel_request` for ids without a request", finished_request).survives(),
    case!("v2-tcc-03", "a tool call and a terminal that nobody has are cancelled", entities),
];

async fn in_time(t: &mut Tester) -> Step {
    let mut turn = Turn::lasting(t).await?;
    owed(turn.stop(t).await)
}

/// Cancels a turn and returns it.
async fn cancelled(t: &mut Tester) -> Step<Turn> {
    let mut turn = Turn::lasting(t).await?;
    turn.stop(t).await?;
    Ok(turn)
}

async fn reason(t: &mut Tester) -> Step {
    let mut turn = cancelled(t).await?;
    let endless = t.options.endless_prompt.is_some();
    match turn.stop_reason() {
        Some("cancelled") => {}
        Some("error") | None => {
            return Err(Stop::Inconclusive("the turn does not end as cancelled work".to_owned()));
        }
        Some(seen) if endless => {
            return Err(Stop::Fail(format!("expected the stop reason `cancelled`, seen `{seen}`")));
        }
        Some(_) => {
            return Err(t.options.without(Never::Endless, "the turn has ended before its cancellation"));
        }
    }
    let states = turn.states().count();
    turn.cancel(t).await?;
    turn.settle(t).await?;
    if turn.states().skip(states).any(|state| state != "idle") {
        return Err(Stop::Fail("a cancellation of a session without work begins some".to_owned()));
    }
    Ok(())
}

async fn no_error(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    // Without a model every turn ends with an error, whether it is cancelled or not.
    if Turn::plain(t, &session).await?.stop_reason() == Some("error") {
        return Err(Stop::Inconclusive("every turn ends with an error".to_owned()));
    }
    match cancelled(t).await?.stop_reason() {
        // A prompt of any kind may fail by itself.
        Some("error") if t.options.endless_prompt.is_none() => {
            Err(Stop::Inconclusive("the turn ends with the reason `error`".to_owned()))
        }
        Some("error") => Err(Stop::Fail("the cancelled turn ends with the reason `error`".to_owned())),
        _ => Ok(()),
    }
}

async fn unanswered(t: &mut Tester) -> Step {
    let (mut turn, _) = ask::permission(t).await?;
    owed(turn.stop(t).await)
}

async fn late(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::permission(t).await?;
    turn.stop(t).await?;
    let before = turn.seen.len();
    ask::allow(t, &question).await?;
    turn.settle(t).await?;
    let resumed = turn.states().last() != Some("idle");
    if resumed || ask::has_run(&turn, &question, before) {
        return Err(Stop::Fail("consent that came after the cancellation makes the tool run".to_owned()));
    }
    Ok(())
}

async fn other_direction(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::permission(t).await?;
    t.notify("$/cancel_request", json!({"requestId": question.id()})).await?;
    turn.settle(t).await?;
    if turn.idle.is_some() {
        return Err(Stop::Fail("the turn ends by the id of the agent's own request".to_owned()));
    }
    ask::allow(t, &question).await?;
    turn.finish(t).await?;
    match turn.stop_reason() {
        Some("cancelled") => Err(Stop::Fail("the id of the agent's own request cancels its turn".to_owned())),
        _ => Ok(()),
    }
}

async fn answered(t: &mut Tester) -> Step {
    t.ready().await?;
    let id = json!("acp-check-cancelled");
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "session/list", "params": {}});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
    t.raw(&format!("{request}\n{cancel}")).await?;
    owed(t.reply(&id).await).map(drop)
}

async fn entities(t: &mut Tester) -> Step {
    let mut turn = Turn::lasting(t).await?;
    let session = turn.session.clone();
    for (method, reply) in cancel_unknown(t, &session).await? {
        for message in reply.before {
            turn.add(message)?;
        }
        let code = reply.message.code();
        if code != Some(-32602) {
            let seen = code.map_or_else(|| "a result".to_owned(), |code| format!("the error {code}"));
            return Err(Stop::Fail(format!("`{method}`: expected the error -32602, seen {seen}")));
        }
    }
    turn.settle(t).await?;
    if turn.idle.is_some() && t.options.endless_prompt.is_some() {
        return Err(Stop::Fail("the turn ends by the cancellation of something else".to_owned()));
    }
    if turn.idle.is_none() { turn.stop(t).await } else { Ok(()) }
}
