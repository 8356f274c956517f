//! Messages that a turn looks at before it decides about them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;

use super::{METHOD, begin, injected, message, prompt_required, steer, until_answered};
use crate::support::Wire;

async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
    turn.say("ready").await?;
    let offer = turn.steering_offered().await?;
    turn.say(offer.message().text()).await?;
    match turn.text().as_str() {
        "take" => assert!(offer.take()?, "it waits"),
        "decline" => offer.decline(),
        "start" => offer.started_turn(),
        "drop" => drop(offer),
        "late" => {
            offer.gone().await;
            assert!(!offer.take()?, "it was withdrawn");
            turn.say("gone").await?;
        }
        "two" => {
            // Each is offered once, and they are taken in any order.
            let other = turn.steering_offered().await?;
            let mut third = pin!(turn.steering_offered());
            assert!(poll_fn(|cx| Poll::Ready(third.as_mut().poll(cx).is_pending())).await);
            turn.say(other.message().text()).await?;
            assert!(other.take()?);
            // The look at the next one is not bound to offers.
            assert!(turn.try_steered()?.is_some());
            assert!(!offer.take()?, "the turn has it");
        }
        other => panic!("{other}"),
    }
    Ok(StopReason::EndTurn)
}

async fn offering() -> (Wire, String) {
    let mut wire = Wire::serve(Router::new("offers", "1", ()).steering().on::<op::Prompt, _>(prompt));
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    (wire, session)
}

#[tokio::test]
async fn the_decision_about_an_offer_is_the_answer() {
    let started = json!({"outcome": "startedNewTurn"});
    for (decision, outcome) in [
        ("take", injected()),
        ("decline", prompt_required()),
        ("start", started),
        ("drop", prompt_required()),
    ] {
        let (mut wire, session) = offering().await;
        let turn = begin(&mut wire, &session, decision).await;
        let sent = steer(&mut wire, &session, "hello").await;
        let (said, answers) = until_answered(&mut wire, &[turn, sent]).await;
        assert_eq!(said, ["hello"], "{decision}");
        assert_eq!(answers[&sent]["result"], outcome, "{decision}");
        assert_eq!(answers[&turn]["result"]["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn an_offer_that_is_withdrawn_is_gone() {
    let (mut wire, session) = offering().await;
    let turn = begin(&mut wire, &session, "late").await;
    let sent = wire.request(METHOD, message(&session, "hello")).await;
    assert_eq!(wire.said().await, "hello");
    wire.notify("$/cancel_request", json!({"requestId": sent})).await;
    let (said, answers) = until_answered(&mut wire, &[turn, sent]).await;
    assert_eq!(said, ["gone"]);
    assert_eq!(answers[&sent]["error"]["code"], -32800);
}

#[tokio::test]
async fn each_message_is_offered_once() {
    let (mut wire, session) = offering().await;
    let turn = begin(&mut wire, &session, "two").await;
    let sent = [steer(&mut wire, &session, "one").await, steer(&mut wire, &session, "two").await];
    let (said, answers) = until_answered(&mut wire, &[turn, sent[0], sent[1]]).await;
    assert_eq!(said, ["one", "two"]);
    for sent in sent {
        assert_eq!(answers[&sent]["result"], injected());
    }
}
