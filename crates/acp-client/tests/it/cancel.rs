//! Cancellation of a turn that the agent does not end.

use std::time::Duration;

use acp_client::v1::StopReason;
use acp_client::{Connect, Error};
use serde_json::json;

use crate::common::with_session;

const PATIENCE: Duration = Duration::from_secs(5);

fn impatient(connect: Connect) -> Connect {
    connect.cancel_timeout(PATIENCE)
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_end_a_cancelled_turn_is_given_up() {
    // The turn cancels, or the session, or the session while somebody waits for the turn.
    for by in ["turn", "session", "session later"] {
        let (session, mut wire) = with_session(impatient).await;
        let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        let mut turn = turn.expect("sent");
        wire.text("s1", "before").await;
        assert_eq!(turn.next().await.expect("comes").text(), Some("before"));
        match by {
            "turn" => turn.cancel().expect("connected"),
            "session" => session.cancel().expect("connected"),
            _ => {
                tokio::select! {
                    biased;
                    _ = turn.next() => panic!("nothing has come"),
                    () = tokio::task::yield_now() => {}
                }
                session.cancel().expect("connected");
            }
        }
        wire.expect("session/cancel").await;
        wire.text("s1", "late").await;
        assert_eq!(turn.next().await.expect("still comes").text(), Some("late"), "{by}");
        assert!(turn.next().await.is_none(), "{by}");
        let error = turn.finish().await.expect_err("no answer");
        assert!(matches!(error, Error::CancelTimeout { waited: PATIENCE, .. }), "{by}: {error}");
        assert!(error.to_string().contains("`s1`"), "{error}");

        // The agent still works, so another prompt would come into the old turn.
        let error = session.prompt("again").await.expect_err("the old turn goes on");
        assert!(matches!(error, Error::CancelTimeout { .. }), "{by}: {error}");
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
        wire.call(json!(1), "_unknown", json!(null)).await;
        let (turn, request) = tokio::join!(session.prompt("again"), wire.expect("session/prompt"));
        wire.answer(&request, json!({"stopReason": "end_turn"})).await;
        assert_eq!(
            turn.expect("free").finish().await.expect("ends").stop_reason,
            StopReason::EndTurn,
            "{by}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_waits_no_longer_for_a_dropped_turn_than_for_a_cancelled_one() {
    let (session, mut wire) = with_session(impatient).await;
    let (turn, _prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    drop(turn);
    wire.expect("session/cancel").await;
    let error = session.prompt("again").await.expect_err("the old turn goes on");
    assert!(matches!(error, Error::CancelTimeout { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_a_cancelled_turn_is_waited_for() {
    let (session, mut wire) = with_session(|connect| connect.cancel_timeout(None)).await;
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    let mut turn = turn.expect("sent");
    turn.cancel().expect("connected");
    wire.expect("session/cancel").await;
    let patience = tokio::time::timeout(Duration::from_secs(24 * 60 * 60), turn.next()).await;
    assert!(patience.is_err(), "a day has passed");
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_nobody_cancels_may_take_its_time() {
    let (session, mut wire) = with_session(impatient).await;
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    let mut turn = turn.expect("sent");
    assert!(tokio::time::timeout(PATIENCE * 100, turn.next()).await.is_err(), "it runs");
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::EndTurn);
}
