//! Messages for a turn that runs, by `_session/steering`.

use std::time::Duration;

use acp_client::types::{ContentBlock, ImageContent};
use acp_client::{Connect, Error, Options, Session, SteerOutcome, SteerReason, Turn};
use serde_json::{Value, json};

use crate::common::{Wire, open, pipe};

const METHOD: &str = "_session/steering";

/// Returns a session `s1` of an agent with this `_meta` in its answer to `initialize`.
async fn with_meta(set_up: impl FnOnce(Connect) -> Connect, meta: Option<Value>) -> (Session, Wire) {
    let (transport, mut wire) = pipe();
    let (agent, ()) = tokio::join!(set_up(acp_client::connect(transport)).into_future(), async {
        let request = wire.expect("initialize").await;
        let mut answer = json!({"protocolVersion": 1});
        if let Some(meta) = meta {
            answer["_meta"] = meta;
        }
        wire.answer(&request, answer).await;
    });
    let session = open(&agent.unwrap(), &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

async fn steerable() -> (Session, Wire) {
    with_meta(|connect| connect, Some(json!({"steering": {"supported": true}}))).await
}

async fn prompted(session: &Session, wire: &mut Wire) -> (Turn, Value) {
    let turn = session.prompt("go").await.unwrap();
    (turn, wire.expect("session/prompt").await)
}

#[tokio::test]
async fn an_agent_that_does_not_offer_it_gets_nothing() {
    let table = [
        None,
        Some(json!(null)),
        Some(json!({})),
        Some(json!({"steering": null})),
        Some(json!({"steering": {"supported": false}})),
        Some(json!({"steering": {"supported": "yes"}})),
        Some(json!("steering")),
    ];
    for meta in table {
        let (session, mut wire) = with_meta(|connect| connect, meta.clone()).await;
        assert!(!session.agent().can_be_steered(), "{meta:?}");
        let (turn, prompt) = prompted(&session, &mut wire).await;
        for steer in [turn.steer("more"), session.steer("more"), session.steer("more").or_start_turn()] {
            let error = steer.await.unwrap_err();
            let Error::NotOffered { method, capability } = error else { panic!("{error:?}") };
            assert_eq!((method, capability), (METHOD, "_meta.steering.supported"));
        }
        // Nothing was written before this.
        turn.cancel().unwrap();
        wire.expect("session/cancel").await;
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    }
}

#[tokio::test]
async fn outcomes_are_typed_and_unknown_ones_are_kept() {
    let table = [
        (json!({"outcome": "injected"}), SteerOutcome::Injected, None),
        (json!({"outcome": "startedNewTurn", "more": 1}), SteerOutcome::StartedNewTurn, None),
        (
            json!({"outcome": "promptRequired", "reason": "noRunningTurn"}),
            SteerOutcome::PromptRequired,
            Some(SteerReason::NoRunningTurn),
        ),
        (json!({"outcome": "promptRequired", "reason": 5}), SteerOutcome::PromptRequired, None),
        (
            json!({"outcome": "postponed", "reason": "tired"}),
            SteerOutcome::Unknown("postponed".into()),
            Some(SteerReason::Unknown("tired".into())),
        ),
    ];
    let (session, mut wire) = steerable().await;
    assert!(session.agent().can_be_steered());
    let (turn, _prompt) = prompted(&session, &mut wire).await;
    for (answer, outcome, reason) in table {
        let (response, ()) = tokio::join!(turn.steer("more").into_future(), async {
            let request = wire.expect(METHOD).await;
            let expected = json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "more"}],
                "_meta": {"steering": {"idleBehavior": "promptRequired"}}});
            assert_eq!(request["params"], expected);
            wire.answer(&request, answer).await;
        });
        let response = response.unwrap();
        assert_eq!((response.outcome, response.reason), (outcome, reason));
    }
    // The other behavior is asked for by leaving it to the agent.
    let (response, ()) = tokio::join!(session.steer("more").or_start_turn().into_future(), async {
        let request = wire.expect(METHOD).await;
        assert_eq!(request["params"].get("_meta"), None);
        wire.answer(&request, json!({"outcome": "startedNewTurn"})).await;
    });
    assert_eq!(response.unwrap().outcome, SteerOutcome::StartedNewTurn);
}

#[tokio::test]
async fn failures_are_typed() {
    let (session, mut wire) = steerable().await;
    let (turn, _prompt) = prompted(&session, &mut wire).await;
    let (refused, ()) = tokio::join!(turn.steer("more").into_future(), async {
        let request = wire.expect(METHOD).await;
        wire.fail(&request, json!({"code": -32602, "message": "no"})).await;
    });
    assert!(matches!(&refused, Err(Error::Agent { method, .. }) if method == METHOD), "{refused:?}");
    for nonsense in [json!({}), json!(null), json!({"outcome": 5})] {
        let (answer, ()) = tokio::join!(turn.steer("more").into_future(), async {
            let request = wire.expect(METHOD).await;
            wire.answer(&request, nonsense).await;
        });
        assert!(matches!(answer, Err(Error::Call { .. })), "{answer:?}");
    }
    // These are not sent.
    let empty = turn.steer(Vec::<ContentBlock>::new()).await.unwrap_err();
    assert!(matches!(empty, Error::Argument { method: METHOD, field: "prompt", .. }), "{empty:?}");
    let image = turn.steer(ContentBlock::from(ImageContent::new("", "image/png"))).await.unwrap_err();
    assert!(image.to_string().contains(METHOD) && image.to_string().contains("image"), "{image}");
    turn.cancel().unwrap();
    wire.expect("session/cancel").await;
}

#[tokio::test]
async fn a_turn_that_is_over_gets_no_message() {
    let (session, mut wire) = steerable().await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    while turn.next().await.is_some() {}
    // It would reach the next turn.
    let response = turn.steer("late").await.unwrap();
    assert_eq!(response.outcome, SteerOutcome::PromptRequired);
    // The session as a whole asks the agent, which may have a turn of its own.
    let (response, ()) = tokio::join!(session.steer("late").into_future(), async {
        let request = wire.expect(METHOD).await;
        wire.answer(&request, json!({"outcome": "injected"})).await;
    });
    assert_eq!(response.unwrap().outcome, SteerOutcome::Injected);
}

/// Two messages are under way while the turn is read and cancelled. A dropped one is withdrawn.
#[tokio::test]
async fn messages_are_under_way_while_the_turn_is_read() {
    let (session, mut wire) = steerable().await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    let steered = ["a", "b", "c"].map(|text| tokio::spawn(turn.steer(text).into_future()));
    let mut requests = Vec::new();
    for _ in &steered {
        requests.push(wire.expect(METHOD).await);
    }
    let text = |request: &Value| request["params"]["prompt"][0]["text"].as_str().unwrap().to_owned();
    requests.sort_by_key(text);
    let [a, b, c] = steered;
    c.abort();
    assert_eq!(wire.expect("$/cancel_request").await["params"]["requestId"], requests[2]["id"]);
    wire.text("s1", "on my way").await;
    assert!(turn.next().await.is_some());
    wire.answer(&requests[1], json!({"outcome": "injected"})).await;
    assert_eq!(b.await.unwrap().unwrap().outcome, SteerOutcome::Injected);
    turn.cancel().unwrap();
    wire.expect("session/cancel").await;
    wire.answer(&requests[0], json!({"outcome": "promptRequired", "reason": "noRunningTurn"})).await;
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    assert_eq!(a.await.unwrap().unwrap().outcome, SteerOutcome::PromptRequired);
    turn.finish().await.unwrap();
}

/// The agent answers when the turn takes the message. The clock is paused.
#[tokio::test(start_paused = true)]
async fn the_time_limit_of_requests_does_not_hold() {
    let options = Options::default().request_timeout(Duration::from_secs(5));
    let meta = Some(json!({"steering": {"supported": true}}));
    let (session, mut wire) = with_meta(|connect| connect.options(options), meta).await;
    let steered = tokio::spawn(session.steer("more").into_future());
    let request = wire.expect(METHOD).await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    wire.answer(&request, json!({"outcome": "injected"})).await;
    assert_eq!(steered.await.unwrap().unwrap().outcome, SteerOutcome::Injected);
}
