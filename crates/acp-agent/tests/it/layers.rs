//! Options of a connection: layers in both directions, and the time limit of requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_agent::layer::{Observe, Observed, Step, Timeout};
use acp_agent::types::ToolKind;
use acp_agent::{Options, Result, StopReason, ToolCall, Turn, agent};
use serde_json::json;

use crate::support::Wire;

struct Asking;

#[agent]
impl Asking {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let call = ToolCall::new("call-1", "Delete everything").kind(ToolKind::Delete);
        let decision = turn.ask(&call).await?;
        turn.say(format!("{decision:?}")).await?;
        let answer = turn.client().ext_request::<u32>("_ask", &json!({})).await;
        if let Err(error) = answer {
            turn.say(error.to_string()).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn layers_see_requests_in_and_out_with_their_outcome() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let observe = Observe::new(move |event: &Observed<'_>| {
        if let Step::Ended { outcome, .. } = event.step {
            log.lock().unwrap().push(format!("{:?} {}: {outcome}", event.direction, event.method));
        }
    });
    let options = Options::default().layer_in(observe.clone()).layer_out(observe);
    let mut wire = Wire::serve_with(Asking, options);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    wire.refused("session/set_mode", json!({"sessionId": session, "modeId": "m"}), -32601, &[]).await;
    let prompt = wire.prompt(&session, "").await;
    let question = wire.recv().await;
    wire.answer(&question, json!({"outcome": {"outcome": "selected", "optionId": "nothing offered"}})).await;
    let answer = wire.answer_to(prompt).await;
    assert_eq!(answer["error"]["code"], -32603);
    wire.close().await;
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "In initialize: done",
            "In session/new: done",
            "In session/set_mode: error -32601",
            "Out session/request_permission: done",
            "In session/prompt: error -32603",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn requests_may_take_as_long_as_the_options_say_but_people_take_their_time() {
    let mut wire = Wire::serve_with(Asking, Options::default().request_timeout(Duration::from_secs(5)));
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let prompt = wire.prompt(&session, "").await;
    let question = wire.recv().await;
    tokio::time::advance(Duration::from_secs(3600)).await;
    let option = question["params"]["options"][0]["optionId"].clone();
    wire.answer(&question, json!({"outcome": {"outcome": "selected", "optionId": option}})).await;
    wire.said().await;
    assert_eq!(wire.recv().await["method"], "_ask");
    assert_eq!(wire.recv().await["method"], "$/cancel_request");
    let told = wire.said().await;
    assert!(told.contains("`_ask` was not answered within 5s"), "{told}");
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}

struct Queueing;

#[agent(prompt(queue))]
impl Queueing {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        if turn.text() == "first" {
            turn.say("begun").await?;
            std::future::pending::<()>().await;
        }
        turn.say("second").await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_begins_behind_the_error_that_a_layer_gives_the_one_before() {
    let options = Options::default().layer_in(Timeout::new(Duration::from_secs(5)));
    let mut wire = Wire::serve_with(Queueing, options);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let first = wire.prompt(&session, "first").await;
    assert_eq!(wire.said().await, "begun");
    tokio::time::advance(Duration::from_secs(1)).await;
    let second = wire.prompt(&session, "second").await;
    let error = wire.recv().await;
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!(first), &json!(-32603)), "{error}");
    assert_eq!(wire.said().await, "second");
    assert_eq!(wire.stopped(second).await, "end_turn");
}
