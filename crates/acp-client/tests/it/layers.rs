//! The options of a connection: layers in both directions, and the time limit of requests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use acp_client::layer::{Observe, Observed, Step};
use acp_client::{Agent, Error, Options};
use serde_json::{Value, json};

use crate::common::{connected, open};

#[tokio::test]
async fn layers_see_requests_in_and_out_with_their_outcome() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let observe = Observe::new(move |event: &Observed<'_>| {
        if let Step::Ended { outcome, .. } = event.step {
            let line = format!("{:?} {}: {outcome}", event.direction, event.method);
            log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
    });
    let options = Options::default().layer_in(observe.clone()).layer_out(observe);
    let (agent, mut wire) = connected(|connect| connect.options(options), json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let turn = session.prompt("hello").await.expect("the prompt is sent");
    let prompt = wire.expect("session/prompt").await;
    wire.text("s1", "hi").await;
    let params = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": []});
    wire.call(json!(1), "session/request_permission", params).await;
    wire.call(json!(2), "fs/read_text_file", json!({"sessionId": "s1", "path": "/a"})).await;
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    turn.finish().await.expect("the turn ends");
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(
        seen,
        [
            "Out initialize: done",
            "Out session/new: done",
            "In session/update: done",
            "In session/request_permission: done",
            "In fs/read_text_file: error -32601",
            "Out session/prompt: done",
        ]
    );
}

async fn asked(agent: &Agent) -> Result<Value, Error> {
    let answer: Result<acp_client::Value, Error> = agent.ext_request("_ask", &json!({})).await;
    answer.map(|_| Value::Null)
}

#[tokio::test(start_paused = true)]
async fn requests_may_take_as_long_as_the_options_say_but_turns_take_their_time() {
    let options = Options::default().request_timeout(Duration::from_secs(5));
    let (agent, mut wire) = connected(|connect| connect.options(options), json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (answer, _) = tokio::join!(asked(&agent), wire.expect("_ask"));
    let error = answer.expect_err("no answer came");
    assert_eq!(error.to_string(), "`_ask` was not answered within 5s: try again, or allow it more time");
    wire.expect("$/cancel_request").await;

    let turn = session.prompt("take your time").await.expect("the prompt is sent");
    let prompt = wire.expect("session/prompt").await;
    tokio::time::advance(Duration::from_secs(3600)).await;
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    turn.finish().await.expect("the turn ends");
}
