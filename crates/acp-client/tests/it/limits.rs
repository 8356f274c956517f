//! Tokens and costs that add up, and limits that cancel a turn.

use std::time::Duration;

use acp_client::types::StopReason;
use acp_client::{Connect, Error, Limit, Session, Turn, TurnLimits};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::common::{Wire, connected, with_session};

/// Less than the patience of the test.
pub(crate) const SILENCE: Duration = Duration::from_secs(40);

/// A prompt on its way: the turn, and the request at the agent.
pub(crate) async fn prompted(session: &Session, wire: &mut Wire) -> (Turn, Value) {
    let turn = session.prompt("go").await.unwrap();
    (turn, wire.expect("session/prompt").await)
}

async fn cost(wire: &mut Wire, amount: f64, currency: &str) {
    let cost = json!({"amount": amount, "currency": currency});
    wire.update("s1", json!({"sessionUpdate": "usage_update", "used": 70, "size": 100, "cost": cost})).await;
}

pub(crate) async fn end(turn: Turn, wire: &mut Wire, prompt: &Value, reason: &str) -> Result<(), Error> {
    wire.answer(prompt, json!({"stopReason": reason})).await;
    turn.finish().await.map(drop)
}

/// Reads the turn until the client cancels it.
pub(crate) async fn cancelled(turn: &mut Turn, wire: &mut Wire) {
    tokio::select! {
        biased;
        cancel = wire.expect("session/cancel") => drop(cancel),
        () = async { while turn.next().await.is_some() {} } => panic!("the turn has ended"),
    }
}

#[tokio::test]
async fn costs_add_up_per_turn_and_session() {
    let (session, mut wire) = with_session(|connect| connect).await;
    for (before, sums) in [(0.0, [0.25, 0.5]), (0.5, [0.75, 1.0])] {
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        assert!(turn.usage().is_nothing());
        for sum in sums {
            cost(&mut wire, sum, "USD").await;
            assert!(turn.next().await.is_some());
            assert_eq!(
                (turn.usage().cost_in("USD"), session.usage().session.cost_in("USD")),
                (sum - before, sum)
            );
        }
        // An update without a cost changes none.
        wire.update("s1", json!({"sessionUpdate": "usage_update", "used": 80, "size": 100})).await;
        assert!(turn.next().await.is_some());
        end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
        let usage = session.usage();
        assert_eq!((usage.context_tokens, usage.context_size), (80, 100));
        assert_eq!((usage.turn.cost_in("USD"), usage.turn.cost_in("EUR")), (0.5, 0.0));
    }
}

/// The agent tells the sum of the session. The part of earlier turns is not the turn's.
#[tokio::test]
async fn costs_before_a_session_was_taken_up_are_not_those_of_its_first_turn() {
    let takes = json!({"loadSession": true, "sessionCapabilities": {"resume": {}, "fork": {}}});
    let limits = || TurnLimits::new().cost(0.5, "USD");
    for method in ["session/resume", "session/load", "session/fork"] {
        let (agent, mut wire) = connected(|connect| connect.turn_limits(limits()), takes.clone()).await;
        let opened = async {
            match method {
                "session/resume" => agent.resume_session("s1", "/work").await,
                "session/load" => agent.load_session("s1", "/work").replay().await.unwrap().finish().await,
                #[cfg(feature = "unstable")]
                _ => agent.fork_session("s0", "/work").await,
                #[cfg(not(feature = "unstable"))]
                _ => agent.load_session("s1", "/work").await,
            }
        };
        let (session, ()) = tokio::join!(opened, async {
            let request = wire.receive().await;
            wire.answer(&request, json!({"sessionId": "s1"})).await;
        });
        let session = session.unwrap();
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        for (sum, of_turn) in [(3.0, 0.0), (3.25, 0.25)] {
            cost(&mut wire, sum, "USD").await;
            assert!(turn.next().await.is_some());
            assert_eq!(turn.usage().cost_in("USD"), of_turn, "{method}");
        }
        end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
        // Later turns count as ever.
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        cost(&mut wire, 3.875, "USD").await;
        cancelled(&mut turn, &mut wire).await;
        end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
        assert_eq!(session.usage().turn.cost_in("USD"), 0.625, "{method}");
    }
}

/// An agent that was started again begins its sum anew.
#[tokio::test]
async fn costs_that_become_smaller_count_from_there_on() {
    let limits = TurnLimits::new().cost(1.0, "USD");
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    cost(&mut wire, 0.9, "USD").await;
    assert!(turn.next().await.is_some());
    end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    for (sum, of_turn) in [(0.125, 0.0), (0.625, 0.5)] {
        cost(&mut wire, sum, "USD").await;
        assert!(turn.next().await.is_some());
        assert_eq!((turn.usage().cost_in("USD"), session.usage().session.cost_in("USD")), (of_turn, sum));
    }
    cost(&mut wire, 1.5, "USD").await;
    cancelled(&mut turn, &mut wire).await;
    let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Cost(_), .. }), "{error:?}");
}

#[cfg(feature = "unstable")]
#[tokio::test]
async fn tokens_of_responses_are_sums_of_the_session() {
    let (session, mut wire) = with_session(|connect| connect).await;
    // The last agent counts each turn by itself.
    for (total, of_turn, of_session) in [(100, 100, 100), (160, 60, 160), (50, 50, 210)] {
        let (turn, prompt) = prompted(&session, &mut wire).await;
        let usage = json!({"totalTokens": total, "inputTokens": total - 10, "outputTokens": 10});
        wire.answer(&prompt, json!({"stopReason": "end_turn", "usage": usage})).await;
        turn.finish().await.unwrap();
        let usage = session.usage();
        assert_eq!((usage.turn.total_tokens, usage.session.total_tokens), (of_turn, of_session));
    }
}

#[tokio::test]
async fn a_turn_beyond_its_budget_is_cancelled_with_the_reason() {
    let limits = |limits: TurnLimits| move |connect: Connect| connect.turn_limits(limits);
    let (session, mut wire) = with_session(limits(TurnLimits::new().cost(0.5, "USD"))).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    // Neither another currency nor the limit itself is beyond it.
    cost(&mut wire, 7.0, "EUR").await;
    cost(&mut wire, 0.5, "USD").await;
    cost(&mut wire, 0.51, "USD").await;
    cost(&mut wire, 0.6, "USD").await;
    cancelled(&mut turn, &mut wire).await;
    let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    let Error::LimitReached { session: named, limit: Limit::Cost(limit) } = &error else {
        panic!("{error:?}")
    };
    assert_eq!((named, limit.amount), (session.id(), 0.5));
    assert!(error.to_string().contains("0.5 USD") && error.to_string().contains("s1"), "{error}");
    // The next turn has the whole budget.
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    cost(&mut wire, 1.0, "USD").await;
    assert!(turn.next().await.is_some());
    end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
}

#[tokio::test]
async fn a_turn_that_ends_by_itself_is_not_an_error() {
    let limits = TurnLimits::new().session_cost(0.5, "USD");
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (turn, prompt) = prompted(&session, &mut wire).await;
    cost(&mut wire, 1.0, "USD").await;
    end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
    // The session is beyond its limit. Another prompt is not sent.
    let refused = session.prompt("more").await.unwrap_err();
    assert!(matches!(refused, Error::LimitReached { limit: Limit::SessionCost(_), .. }), "{refused:?}");
}

#[tokio::test]
async fn tokens_in_the_context_count() {
    let (session, mut wire) = with_session(|connect| connect).await;
    let (turn, prompt) = prompted(&session, &mut wire).await;
    let mut turn = turn.limits(TurnLimits::new().tokens(69));
    wire.update("s1", json!({"sessionUpdate": "usage_update", "used": 70, "size": 100})).await;
    cancelled(&mut turn, &mut wire).await;
    let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Tokens(69), .. }), "{error:?}");
}

/// The clock is paused: it goes on when everything waits for a time.
#[tokio::test(start_paused = true)]
async fn silence_cancels_a_turn_and_a_long_one_that_speaks_goes_on() {
    let limits = TurnLimits::new().silence(SILENCE);
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    for _ in 0..20 {
        // Together many times as long.
        assert!(tokio::time::timeout(SILENCE - Duration::from_secs(1), turn.next()).await.is_err());
        assert_eq!(turn.idle_for(), SILENCE - Duration::from_secs(1));
        wire.text("s1", "still here").await;
        assert!(turn.next().await.is_some());
        assert_eq!(turn.idle_for(), Duration::ZERO);
    }
    let before = tokio::time::Instant::now();
    cancelled(&mut turn, &mut wire).await;
    let waited = before.elapsed();
    assert!(waited >= SILENCE && waited < SILENCE + Duration::from_secs(1), "{waited:?}");
    let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Silence(SILENCE), .. }), "{error:?}");
}

/// An agent that does not even answer the cancel: the reason is the silence.
#[tokio::test(start_paused = true)]
async fn an_agent_that_hangs_is_given_up_with_the_reason() {
    let limits = TurnLimits::new().silence(SILENCE);
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (turn, _) = prompted(&session, &mut wire).await;
    let error = turn.finish().await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Silence(SILENCE), .. }), "{error:?}");
}

/// The user's cancel came first, so the limit is not the reason of the end.
#[tokio::test(start_paused = true)]
async fn a_turn_that_the_user_cancels_reaches_no_limit() {
    let limits = TurnLimits::new().cost(0.5, "USD").silence(SILENCE);
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    for by_session in [false, true] {
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        if by_session {
            session.cancel().unwrap()
        } else {
            turn.cancel().unwrap()
        }
        wire.expect("session/cancel").await;
        cost(&mut wire, if by_session { 4.0 } else { 2.0 }, "USD").await;
        assert!(turn.next().await.is_some());
        // Longer than the silence, and shorter than the time in which a cancelled turn must end.
        assert!(timeout(SILENCE + Duration::from_secs(5), turn.next()).await.is_err());
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
        assert_eq!(turn.finish().await.unwrap().stop_reason, StopReason::Cancelled);
    }
}

#[tokio::test]
async fn an_error_as_the_answer_to_the_cancel_does_not_hide_the_limit() {
    let limits = TurnLimits::new().cost(0.5, "USD");
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    cost(&mut wire, 1.0, "USD").await;
    cancelled(&mut turn, &mut wire).await;
    wire.fail(&prompt, json!({"code": -32603, "message": "aborted"})).await;
    let error = turn.finish().await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Cost(_), .. }), "{error:?}");
    // Without a limit the error is the agent's.
    let (turn, prompt) = prompted(&session, &mut wire).await;
    wire.fail(&prompt, json!({"code": -32603, "message": "aborted"})).await;
    assert!(matches!(turn.finish().await, Err(Error::Agent { .. })));
}

/// The turn before is waited for, and its last report is beyond the limit.
#[tokio::test]
async fn a_prompt_is_refused_if_the_turn_before_it_used_the_rest() {
    let limits = TurnLimits::new().session_cost(0.5, "USD");
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (turn, prompt) = prompted(&session, &mut wire).await;
    drop(turn);
    wire.expect("session/cancel").await;
    let (refused, ()) = tokio::join!(session.prompt("more"), async {
        cost(&mut wire, 1.0, "USD").await;
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    });
    let is_refused = |refused: Result<Turn, Error>| {
        matches!(refused, Err(Error::LimitReached { limit: Limit::SessionCost(_), .. }))
    };
    assert!(is_refused(refused));
    // No turn has begun, so the session is not busy.
    assert!(is_refused(session.prompt("more").await));
}

#[tokio::test]
async fn a_turn_with_limits_that_are_passed_already_is_cancelled_at_once() {
    let (session, mut wire) = with_session(|connect| connect).await;
    for limits in [TurnLimits::new().session_cost(0.5, "USD"), TurnLimits::new().tokens(69)] {
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        cost(&mut wire, 1.0, "USD").await;
        assert!(turn.next().await.is_some());
        end(turn, &mut wire, &prompt, "end_turn").await.unwrap();
        let (turn, prompt) = prompted(&session, &mut wire).await;
        let turn = turn.limits(limits);
        wire.expect("session/cancel").await;
        let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
        assert!(matches!(error, Error::LimitReached { .. }), "{error:?}");
    }
}
