//! The offer of the extension, its params and its outcomes.

use acp_agent::{Meta, Result, Router, STEERING_BUDGET, StopReason, agent, op};
use serde_json::{Value, json};

use super::{METHOD, begin, injected, listener, message, prompt_required, steer, until_answered};
use crate::support::{Wire, check_error};

struct Plain;

#[agent]
impl Plain {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Steered;

#[agent(prompt(steering))]
impl Steered {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

/// An agent that serves the extension by itself.
struct ByHand;

#[agent(prompt(steering))]
impl ByHand {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("_session/steering")]
    async fn steer(&self) -> Result<Meta> {
        Ok(Meta::new().with("outcome", "mine"))
    }
}

#[tokio::test]
async fn it_is_offered_if_it_is_served() {
    let offer = json!({"steering": {"supported": true}});
    let mut wire = Wire::serve(Plain);
    assert_eq!(wire.initialize(json!({})).await.get("_meta"), None);
    let session = wire.new_session().await;
    wire.refused(METHOD, message(&session, "hi"), -32601, &[METHOD]).await;

    let mut wire = Wire::serve(Steered);
    assert_eq!(wire.initialize(json!({})).await["_meta"], offer);
    let session = wire.new_session().await;
    assert_eq!(wire.call(METHOD, message(&session, "hi")).await["result"], prompt_required());

    let mut wire = Wire::serve(ByHand);
    assert_eq!(wire.initialize(json!({})).await["_meta"], offer);
    assert_eq!(wire.call(METHOD, json!({})).await["result"], json!({"outcome": "mine"}));

    let router = Router::new("router", "1", ()).steering();
    assert_eq!(Wire::serve(router).initialize(json!({})).await["_meta"], offer);
}

#[tokio::test]
async fn a_message_is_checked_like_a_prompt() {
    let (mut wire, session) = Wire::open(listener().0, json!({})).await;
    let text = json!([{"type": "text", "text": "hi"}]);
    let table = [
        (json!({"sessionId": "other", "prompt": text}), -32002, "session"),
        (json!({"sessionId": session, "prompt": []}), -32602, "prompt"),
        (json!({"sessionId": session}), -32602, "prompt"),
        (json!({"sessionId": session, "prompt": "hi"}), -32602, "prompt"),
        (json!({"prompt": text}), -32602, "sessionId"),
        (json!(null), -32602, "sessionId"),
        (
            json!({"sessionId": session, "prompt": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            -32602,
            "promptCapabilities.image",
        ),
        (json!({"sessionId": session, "prompt": text, "_meta": {"steering": 5}}), -32602, "_meta.steering"),
        (
            json!({"sessionId": session, "prompt": text, "_meta": {"steering": {"idleBehavior": 5}}}),
            -32602,
            "idleBehavior",
        ),
        (
            json!({"sessionId": session, "prompt": text, "_meta": {"steering": {"idleBehavior": "dance"}}}),
            -32602,
            "promptRequired",
        ),
    ];
    for (params, code, name) in table {
        wire.refused(METHOD, params, code, &[name]).await;
    }
    // These are fine, and no turn runs. One that nobody has asked for does not begin, either.
    let metas = [
        None,
        Some(json!(null)),
        Some(json!(5)),
        Some(json!({})),
        Some(json!({"steering": null})),
        Some(json!({"steering": {}, "other": 1})),
        Some(json!({"steering": {"idleBehavior": null, "other": 1}})),
        Some(json!({"steering": {"idleBehavior": "promptRequired"}})),
    ];
    for meta in metas {
        let mut params = json!({"sessionId": session, "prompt": text, "more": true});
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        assert_eq!(wire.call(METHOD, params.clone()).await["result"], prompt_required(), "{params}");
    }
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_turn_takes_messages_in_their_order() {
    let (mut wire, session) = Wire::open(listener().0, json!({})).await;
    let prompt = begin(&mut wire, &session, "take 4").await;
    // Two at once, then the others.
    let mut ids = vec![steer(&mut wire, &session, "1").await, steer(&mut wire, &session, "2").await];
    let (mut said, first) = until_answered(&mut wire, &ids.clone()).await;
    ids.extend([steer(&mut wire, &session, "3").await, steer(&mut wire, &session, "4").await, prompt]);
    let (rest, mut answers) = until_answered(&mut wire, &ids[2..]).await;
    said.extend(rest);
    assert_eq!(said, ["1", "2", "3", "4"]);
    assert_eq!(answers.remove(&prompt).unwrap()["result"]["stopReason"], "end_turn");
    for (_, answer) in first.into_iter().chain(answers) {
        assert_eq!(answer["result"], injected());
    }
    // After the end no turn runs.
    assert_eq!(wire.call(METHOD, message(&session, "5")).await["result"], prompt_required());
}

#[tokio::test]
async fn a_dropped_wait_loses_nothing_and_each_waiter_gets_another_message() {
    let (mut wire, session) = Wire::open(listener().0, json!({})).await;
    let prompt = begin(&mut wire, &session, "both").await;
    let ids = [steer(&mut wire, &session, "a").await, steer(&mut wire, &session, "b").await, prompt];
    let (said, _) = until_answered(&mut wire, &ids).await;
    assert_eq!(said, ["a b"]);
}

#[tokio::test]
async fn messages_that_wait_are_there_for_a_look_between_two_steps() {
    let (agent, gate) = listener();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = begin(&mut wire, &session, "poll").await;
    let ids = [steer(&mut wire, &session, "a").await, steer(&mut wire, &session, "b").await];
    // Nothing is answered before the turn takes it. This answer comes from behind the messages.
    wire.refused("_other", json!({}), -32601, &[]).await;
    gate.add_permits(1);
    let (said, answers) = until_answered(&mut wire, &[ids[0], ids[1], prompt]).await;
    assert_eq!(said, ["a", "b"]);
    assert!(ids.iter().all(|id| answers[id]["result"] == injected()));
}

#[tokio::test]
async fn a_turn_that_ends_gives_back_what_it_has_not_taken() {
    for ending in ["wait", "fail", "panic", "hang"] {
        let (agent, gate) = listener();
        let (mut wire, session) = Wire::open(agent, json!({})).await;
        let prompt = begin(&mut wire, &session, ending).await;
        let ids = [steer(&mut wire, &session, "a").await, steer(&mut wire, &session, "b").await];
        match ending {
            "hang" => wire.cancel(&session).await,
            _ => gate.add_permits(1),
        }
        let (said, answers) = until_answered(&mut wire, &[ids[0], ids[1], prompt]).await;
        assert_eq!((said, &answers[&ids[0]]["result"]), (Vec::new(), &prompt_required()), "{ending}");
        assert_eq!(answers[&ids[1]]["result"], prompt_required(), "{ending}");
        // It goes as a prompt now.
        let next = begin(&mut wire, &session, "take 0").await;
        assert_eq!(wire.stopped(next).await, "end_turn");
    }
}

#[tokio::test]
async fn a_session_that_is_closed_gives_back_what_waits() {
    let (mut wire, session) = Wire::open(listener().0, json!({})).await;
    let prompt = begin(&mut wire, &session, "hang").await;
    let waiting = steer(&mut wire, &session, "a").await;
    let closing = wire.request("session/close", json!({"sessionId": session})).await;
    let (_, answers) = until_answered(&mut wire, &[prompt, waiting, closing]).await;
    assert_eq!(answers[&waiting]["result"], prompt_required());
    wire.refused(METHOD, message(&session, "b"), -32002, &["session"]).await;
}

#[tokio::test]
async fn a_message_can_be_withdrawn_until_it_is_taken() {
    let (agent, gate) = listener();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = begin(&mut wire, &session, "poll").await;
    let ids = [steer(&mut wire, &session, "a").await, steer(&mut wire, &session, "b").await];
    wire.notify("$/cancel_request", json!({"requestId": ids[0]})).await;
    check_error(&wire.answer_to(ids[0]).await, -32800, &[]);
    gate.add_permits(1);
    let (said, answers) = until_answered(&mut wire, &[ids[1], prompt]).await;
    assert_eq!((said, &answers[&ids[1]]["result"]), (vec!["b".to_owned()], &injected()));
}

#[tokio::test]
async fn a_cancelled_turn_takes_nothing_more() {
    let (mut wire, session) = Wire::open(listener().0, json!({})).await;
    let prompt = begin(&mut wire, &session, "take 1").await;
    wire.cancel(&session).await;
    // Right behind the cancel: the turn may not have ended.
    let late = steer(&mut wire, &session, "late").await;
    let (said, answers) = until_answered(&mut wire, &[prompt, late]).await;
    assert_eq!((said, &answers[&late]["result"]), (Vec::new(), &prompt_required()));
    assert_eq!(answers[&prompt]["result"]["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_thousand_messages_meet_the_budget() {
    let (agent, gate) = listener();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = begin(&mut wire, &session, "poll").await;
    let text = "x".repeat(2048);
    // The size of the list of blocks, as JSON.
    let bytes = message("", &text)["prompt"].to_string().len();
    let (mut waiting, mut refused) = (Vec::new(), 0);
    for index in 0..1000 {
        let id = steer(&mut wire, &session, &text).await;
        if (index + 1) * bytes <= STEERING_BUDGET {
            waiting.push(id);
        } else {
            check_error(&wire.answer_to(id).await, -32600, &[&session]);
            refused += 1;
        }
    }
    assert!(waiting.len() > 400 && refused > 400, "{} {refused}", waiting.len());
    // A cancel still gets through, and makes room.
    let gone = waiting.remove(0);
    wire.notify("$/cancel_request", json!({"requestId": gone})).await;
    check_error(&wire.answer_to(gone).await, -32800, &[]);
    waiting.push(steer(&mut wire, &session, &text).await);
    gate.add_permits(1);
    waiting.push(prompt);
    let (said, answers) = until_answered(&mut wire, &waiting).await;
    assert_eq!((said.len(), answers.len()), (waiting.len() - 1, waiting.len()));

    // One message may be larger than that, if it is the only one.
    let prompt = begin(&mut wire, &session, "poll").await;
    let large = steer(&mut wire, &session, &"y".repeat(2 * STEERING_BUDGET)).await;
    wire.refused(METHOD, message(&session, "more"), -32600, &["bytes"]).await;
    gate.add_permits(1);
    let (said, answers) = until_answered(&mut wire, &[large, prompt]).await;
    assert_eq!((said[0].len(), &answers[&large]["result"]), (2 * STEERING_BUDGET, &injected()));
}

#[tokio::test]
async fn a_message_goes_to_the_turn_that_runs_and_not_to_a_prompt_that_waits() {
    async fn prompt(_: &(), turn: acp_agent::Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        let heard = turn.steered().await?.text();
        turn.say(heard).await?;
        Ok(StopReason::EndTurn)
    }
    let agent = Router::new("queue", "1", ()).queue_prompts().steering().on::<op::Prompt, _>(prompt);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let first = wire.prompt(&session, "first").await;
    assert_eq!(wire.said().await, "first");
    let second = wire.prompt(&session, "second").await;
    let a = steer(&mut wire, &session, "a").await;
    let (said, _) = until_answered(&mut wire, &[a, first]).await;
    assert_eq!(said[0], "a");
    let b = steer(&mut wire, &session, "b").await;
    let (rest, answers) = until_answered(&mut wire, &[b, second]).await;
    assert_eq!(
        (said.into_iter().chain(rest).last().unwrap(), &answers[&b]["result"]),
        ("b".to_owned(), &injected())
    );
}
