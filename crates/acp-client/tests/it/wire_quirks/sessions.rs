//! Sessions: early and late updates, echoes, replays and old ways.

use std::sync::{Arc, Mutex};

use acp_client::v1::RequestPermissionRequest;
use acp_client::{Entry, Event, PermissionAnswer, PermissionPolicy, Transcript, Value as Json};
use serde_json::json;

use super::{ask, events, plain, prompt};
use crate::common::{connected, open, with_session};

#[tokio::test]
async fn updates_before_the_answer_that_names_their_session() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    // The updates name several sessions, because the next id is unknown, and are far more than the
    // client keeps.
    let block = "x".repeat(1024 * 1024);
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        for stranger in 0..40 {
            wire.text(&format!("other-{stranger}"), "?").await;
        }
        wire.answer(&request, json!({"sessionId": "late"})).await;
    });
    session.expect("opened");
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        for n in 0..16 {
            wire.text("s1", &format!("{n} {block}")).await;
        }
        wire.answer(&request, json!({"sessionId": "s1"})).await;
    });
    let session = session.expect("opened");
    let (mut turn, request) = prompt(&session, &mut wire).await;
    wire.text("s1", "now").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let events = events(&mut turn).await;
    let Some(Event::Missed(missed)) = events.first() else { panic!("{events:?}") };
    assert!((12..16).contains(missed), "4 MiB of 16 are kept, {missed} are not");
    assert_eq!(events.len() as u64, 1 + (16 - missed) + 1, "nothing is lost in silence");
    assert_eq!(events.last().and_then(Event::text), Some("now"));
}

#[cfg(feature = "unstable")]
#[tokio::test]
async fn a_fork_replays_its_conversation_before_it_is_named() {
    let (agent, mut wire) = connected(plain, json!({"sessionCapabilities": {"fork": {}}})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (fork, ()) = tokio::join!(session.fork("/work").into_future(), async {
        let request = wire.expect("session/fork").await;
        for n in 0..29 {
            wire.text("s2", &n.to_string()).await;
        }
        wire.answer(&request, json!({"sessionId": "s2"})).await;
    });
    let mut updates = fork.expect("forked").updates();
    for n in 0..29 {
        assert_eq!(updates.next().await.expect("kept").text(), Some(n.to_string().as_str()));
    }
}

#[tokio::test]
async fn a_conversation_that_is_replayed_after_the_answer_to_the_load() {
    let (agent, mut wire) = connected(plain, json!({"loadSession": true})).await;
    let (replay, request) =
        tokio::join!(agent.load_session("s1", "/work").replay(), wire.expect("session/load"));
    let mut replay = replay.expect("sent");
    wire.text("s1", "early").await;
    wire.answer(&request, json!({})).await;
    wire.text("s1", "late").await;
    assert_eq!(replay.next().await.as_ref().and_then(Event::text), Some("early"));
    assert!(replay.next().await.is_none(), "the answer is the end of it");
    let mut updates = replay.finish().await.expect("loaded").updates();
    assert_eq!(updates.next().await.expect("kept").text(), Some("late"), "the rest is the session's");
}

#[tokio::test]
async fn tool_calls_that_were_never_announced() {
    let asked: Arc<Mutex<Vec<RequestPermissionRequest>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let policy = PermissionPolicy::ask(move |request| {
        heard.lock().expect("not poisoned").push(request);
        async { PermissionAnswer::AllowOnce }
    });
    let (session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    let (mut turn, request) = prompt(&session, &mut wire).await;
    let call = json!({"toolCallId": "c", "title": "rm -r", "kind": "execute", "status": "pending"});
    let answer = wire.call(json!(1), "session/request_permission", ask(&call)).await;
    assert_eq!(answer["result"]["outcome"], json!({"outcome": "selected", "optionId": "yes"}));
    let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "title": "rm -r"});
    wire.update("s1", update).await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut transcript = Transcript::new();
    for event in events(&mut turn).await {
        transcript.fold(event);
    }
    let run = transcript.tool_call(&"c".into()).expect("it is an entry all the same");
    assert_eq!((run.call.title.as_str(), run.call.status.as_str()), ("rm -r", "completed"));
    let asked = asked.lock().expect("not poisoned");
    assert_eq!(asked[0].tool_call.title.as_deref(), Some("rm -r"), "the request has all there is to show");
}

#[tokio::test]
async fn updates_after_the_end_of_a_turn_and_echoes_in_it() {
    let (session, mut wire) = with_session(plain).await;
    let mut updates = session.updates();
    let mut transcript = Transcript::for_session(&session);
    transcript.prompt("go");
    let (mut turn, request) = prompt(&session, &mut wire).await;
    wire.update(
        "s1",
        json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "go"}}),
    )
    .await;
    wire.text("s1", "done").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    wire.update("s1", json!({"sessionUpdate": "session_info_update", "title": "Going"})).await;
    wire.update("s1", json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})).await;
    for event in events(&mut turn).await {
        transcript.fold(event);
    }
    turn.finish().await.expect("ends");
    for _ in 0..2 {
        transcript.fold(updates.next().await.expect("kept"));
    }
    let messages = transcript.entries().filter(|(_, entry)| matches!(entry, Entry::Message(_))).count();
    assert_eq!(messages, 2, "the echo is the prompt");
    assert_eq!(transcript.title(), Some("Going"));
    assert!(transcript.usage().is_some());
}

#[tokio::test]
async fn models_as_they_were_before_config_options() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    // The schema does not have the method any more.
    wire.unchecked();
    let models = json!({"currentModelId": "m|1[x]", "availableModels": [{"modelId": "m|1[x]", "name": "M", "old": 1.50}]});
    let session = open(&agent, &mut wire, json!({"sessionId": "s1", "models": models, "modes": null})).await;
    assert_eq!(session.extra().len(), 1, "what the protocol names is elsewhere");
    let kept = session.extra().get("models").expect("as it came");
    assert_eq!(kept.to_string(), models.to_string());
    assert_eq!(kept.get("currentModelId").and_then(|id| id.as_str()), Some("m|1[x]"));
    // The method to switch them can be called.
    let params = acp_client::Map::from([("sessionId", Json::from("s1")), ("modelId", Json::from("m2"))]);
    let (set, ()) = tokio::join!(agent.peer().request::<_, Json>("session/set_model", &params), async {
        let request = wire.expect("session/set_model").await;
        assert_eq!(request["params"], json!({"sessionId": "s1", "modelId": "m2"}));
        wire.answer(&request, json!({})).await;
    });
    set.expect("switched");
}
