//! A recorded session as a test fixture, and trace contexts on the way to the agent.

use acp_client::tap::{Direction, Recorder, Recording, replay};
use acp_client::trace::{Propagate, TraceContext};
use acp_client::{Agent, Options, PermissionPolicy};
use serde_json::json;

use crate::common::{connected, with_session};

/// Runs one turn and returns everything that a user sees of it.
async fn turn(agent: &Agent) -> Vec<String> {
    let session = agent.new_session("/work").await.expect("the agent opens a session");
    let mut turn = session.prompt("hello").await.expect("the prompt is sent");
    let mut seen = vec![session.id().to_string()];
    while let Some(event) = turn.next().await {
        seen.push(format!("{event:?}"));
    }
    seen.push(turn.finish().await.expect("the turn ends").stop_reason.to_string());
    seen
}

#[tokio::test]
async fn a_recorded_turn_is_played_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("turn.ndjson");
    let recorder = Recorder::create(&file).expect("a recording");
    let options = Options::default().tap(recorder.tap());
    let set_up = |options| {
        |connect: acp_client::Connect| connect.options(options).permissions(PermissionPolicy::allow_once())
    };
    let (agent, mut wire) = connected(set_up(options), json!({})).await;
    let (recorded, ()) = tokio::join!(turn(&agent), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, json!({"sessionId": "s7"})).await;
        let prompt = wire.expect("session/prompt").await;
        wire.text("s7", "hi").await;
        let option = json!({"optionId": "yes", "name": "Yes", "kind": "allow_once"});
        let params = json!({"sessionId": "s7", "toolCall": {"toolCallId": "c"}, "options": [option]});
        let answer = wire.call(json!("q"), "session/request_permission", params).await;
        assert_eq!(answer["result"]["outcome"]["optionId"], "yes", "{answer}");
        wire.text("s7", "bye").await;
        wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    });
    agent.close().await;
    recorder.finish().expect("it is written");
    assert_eq!(recorded.first().map(String::as_str), Some("s7"));
    assert_eq!(recorded.last().map(String::as_str), Some("end_turn"));

    let recording = Recording::open(&file).expect("a recording");
    let (transport, replay) = replay(recording, Direction::In).expect("it can be played");
    let played = tokio::spawn(replay);
    let connect = set_up(Options::default())(acp_client::connect(transport));
    let agent = connect.await.expect("the recorded agent answers");
    assert_eq!(turn(&agent).await, recorded);
    agent.close().await;
    let played = played.await.expect("it ends");
    assert!(played.is_faithful(), "{played}");
}

#[tokio::test]
async fn prompts_carry_the_trace_context() {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let propagate = Propagate::with(move || TraceContext::new(parent));
    let options = Options::default().layer_out(propagate);
    let (session, mut wire) = with_session(|connect| connect.options(options)).await;
    let turn = session.prompt("hello").await.expect("the prompt is sent");
    let prompt = wire.expect("session/prompt").await;
    assert_eq!(prompt["params"]["_meta"], json!({"traceparent": parent}));
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    turn.finish().await.expect("the turn ends");
}
