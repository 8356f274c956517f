//! Prompts, and the states of their turns.

use crate::check::case::{Case, case};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::v2::ask;
use crate::check::v2::turn::{Turn, owed};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-turn-01", "the answer to a prompt whose turn lasts", answered),
    case!("v2-turn-08", "a prompt waits for a turn, and is cancelled", waiting),
    case!("v2-state-01", "a turn to its end", runs),
    case!("v2-state-02", "a turn to its end", ends),
    case!("v2-state-04", "a turn waits for permission", blocked),
];

async fn answered(t: &mut Tester) -> Step {
    let mut turn = Turn::lasting(t).await?;
    while turn.answer().is_none() {
        let message = owed(t.next("the answer to a prompt whose turn runs").await)?;
        turn.add(message)?;
        if turn.idle.is_some() && turn.answer().is_none() {
            return Err(Stop::Fail("the prompt is not answered before its turn has ended".to_owned()));
        }
    }
    turn.stop(t).await
}

async fn waiting(t: &mut Tester) -> Step {
    let turn = Turn::lasting(t).await?;
    let prompt = t.options.prompt.clone();
    let second = t.start(&turn.session, &prompt).await?;
    let mut early = t.fence().await?;
    early.extend(t.fence().await?);
    if early.iter().any(|message| message.is_answer() && message.id() == Some(&second)) {
        turn.cancel(t).await?;
        return Err(Stop::NotApplicable("the agent holds no prompts back".to_owned()));
    }
    turn.cancel(t).await?;
    let reply = owed(t.reply(&second).await)?;
    reply.refused(&[-32800], "a prompt that waited and was cancelled")
}

async fn runs(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let turn = Turn::plain(t, &session).await?;
    let mut states = turn.states();
    if states.any(|state| state == "running" || state == "requires_action") {
        return Ok(());
    }
    Err(Stop::Fail("no state tells that the turn runs".to_owned()))
}

async fn ends(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    let prompt = t.options.prompt.clone();
    let mut turn = Turn::start(t, &session, &prompt).await?;
    match turn.finish(t).await {
        // The turn may only be slow. A cancellation ends it, and the end must be told.
        Err(Stop::Inconclusive(reason)) if turn.answer().is_some() => match turn.stop(t).await {
            Err(Stop::Silent(silent)) => Err(Stop::Fail(format!(
                "the turn does not become idle, not even by a cancellation: {silent}"
            ))),
            _ => Err(Stop::Inconclusive(reason)),
        },
        ended => ended,
    }
}

async fn blocked(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::permission(t).await?;
    turn.settle(t).await?;
    let asks = turn.states().last().map(str::to_owned);
    ask::allow(t, &question).await?;
    turn.finish(t).await?;
    match asks.as_deref() {
        Some("requires_action") => Ok(()),
        state => Err(Stop::Fail(format!(
            "the turn waits for the user: expected the state `requires_action`, seen `{}`",
            state.unwrap_or("none")
        ))),
    }
}
