//! A second prompt while a turn runs: it is inserted into that turn, if the turn takes it.

use std::sync::Arc;

use acp_agent::{Agent, Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Ed, code};

struct Listener {
    go: Arc<Semaphore>,
}

impl Listener {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("ready").await?;
        let text = turn.text();
        match text.split_once(' ') {
            Some(("take", count)) => {
                for _ in 0..count.parse::<usize>().unwrap() {
                    let message = turn.steered().await?;
                    turn.say(message.text()).await?;
                }
            }
            Some(("poll", _)) => {
                self.go.acquire().await.unwrap().forget();
                while let Some(message) = turn.try_steered()? {
                    turn.say(message.text()).await?;
                }
            }
            Some(("wait", _)) => self.go.acquire().await.unwrap().forget(),
            _ => {}
        }
        Ok(StopReason::EndTurn)
    }
}

fn listener() -> (impl Agent, Arc<Semaphore>) {
    let go = Arc::new(Semaphore::new(0));
    let router = Router::new("listener", "1", Listener { go: Arc::clone(&go) });
    (router.steering().on::<op::Prompt, _>(Listener::prompt), go)
}

async fn ready(ed: &mut Ed, text: &str) -> u64 {
    let prompt = ed.start(text).await;
    assert_eq!(ed.update().await["content"]["text"], "ready");
    prompt
}

/// Reads the insertion of a prompt: the answer, and its echo.
async fn inserted(ed: &mut Ed, prompt: u64, text: &str) {
    let id = ed.wire.answer_to(prompt).await["result"]["messageId"].clone();
    assert!(id.is_string());
    let echo = ed.update().await;
    assert_eq!((&echo["sessionUpdate"], &echo["messageId"]), (&json!("user_message"), &id), "{echo}");
    assert_eq!(echo["content"][0]["text"], text);
}

/// Rules `v2-turn-01`, `v2-turn-03`.
#[tokio::test]
async fn one_end_of_a_turn_is_the_end_of_all_prompts_that_it_has_taken() {
    let (agent, _) = listener();
    let mut ed = Ed::open(2, agent).await;
    let first = ready(&mut ed, "take 2").await;
    for text in ["second", "third"] {
        let prompt = ed.wire.prompt(&ed.session, text).await;
        inserted(&mut ed, prompt, text).await;
        assert_eq!(ed.update().await["content"]["text"], text);
    }
    assert_eq!(ed.end(first).await.0, "end_turn");
    // The session is free again, and nothing was answered twice.
    let next = ready(&mut ed, "plain").await;
    assert_eq!(ed.end(next).await.0, "end_turn");
    assert_eq!(ed.wire.close().await, [Value::Null; 0]);
}

#[tokio::test]
async fn a_prompt_that_no_turn_takes_gets_a_turn_of_its_own() {
    let (agent, go) = listener();
    let mut ed = Ed::open(2, agent).await;
    let first = ready(&mut ed, "wait x").await;
    let own = ed.wire.prompt(&ed.session, "take 1").await;
    let taken = ed.wire.prompt(&ed.session, "taken by the second").await;
    go.add_permits(1);
    assert_eq!(ed.end(first).await.0, "end_turn");
    inserted(&mut ed, own, "take 1").await;
    assert_eq!(ed.update().await["state"], "running");
    assert_eq!(ed.update().await["content"]["text"], "ready");
    inserted(&mut ed, taken, "taken by the second").await;
    assert_eq!(ed.update().await["content"]["text"], "taken by the second");
    assert_eq!(ed.end(own).await.0, "end_turn");
    assert_eq!(ed.wire.close().await, [Value::Null; 0]);
}

/// Rules `v2-turn-05`, `v2-turn-08`.
#[tokio::test]
async fn a_prompt_that_is_cancelled_while_it_is_held_is_not_taken() {
    let (agent, go) = listener();
    let mut ed = Ed::open(2, agent).await;
    let first = ready(&mut ed, "poll x").await;
    // More than can wait at a time: those that are cancelled make room.
    for _ in 0..100 {
        let held = ed.wire.prompt(&ed.session, "held").await;
        ed.wire.notify("$/cancel_request", json!({"requestId": held})).await;
        assert_eq!(code(&ed.wire.answer_to(held).await), -32800);
    }
    let taken = ed.wire.prompt(&ed.session, "taken").await;
    // An answer, so that the prompt before it has arrived.
    ed.wire.call("session/list", json!({})).await;
    go.add_permits(1);
    inserted(&mut ed, taken, "taken").await;
    assert_eq!(ed.update().await["content"]["text"], "taken");
    assert_eq!(ed.end(first).await.0, "end_turn");
}

#[tokio::test]
async fn a_cancel_ends_the_turn_with_what_it_has_taken_and_refuses_the_rest() {
    for end in ["session/cancel", "session/close"] {
        let (agent, _) = listener();
        let mut ed = Ed::open(2, agent).await;
        ready(&mut ed, "take 1").await;
        let taken = ed.wire.prompt(&ed.session, "wait").await;
        inserted(&mut ed, taken, "wait").await;
        assert_eq!(ed.update().await["content"]["text"], "wait");
        assert_eq!(ed.update().await["stopReason"], "end_turn");
        ready(&mut ed, "wait x").await;
        let held = ed.wire.prompt(&ed.session, "held").await;
        let params = json!({"sessionId": ed.session});
        if end == "session/close" {
            ed.wire.request(end, params).await;
        } else {
            ed.wire.notify(end, params).await;
        }
        let (mut is_idle, mut is_refused) = (false, false);
        while !(is_idle && is_refused) {
            let message = ed.wire.recv().await;
            is_refused |= message["id"] == held && code(&message) == -32800;
            is_idle |= message["params"]["update"]["stopReason"] == "cancelled";
        }
    }
}

#[tokio::test]
async fn a_message_that_a_turn_has_taken_is_replayed_with_its_id() {
    let (agent, _) = listener();
    let mut ed = Ed::open(2, agent).await;
    let first = ready(&mut ed, "take 1").await;
    let second = ed.wire.prompt(&ed.session, "second").await;
    let id = ed.wire.answer_to(second).await["result"]["messageId"].clone();
    for _ in 0..2 {
        ed.update().await;
    }
    ed.end(first).await;
    let params = json!({"sessionId": ed.session, "cwd": "/work", "replayFrom": {"type": "start"}});
    let resume = ed.wire.request("session/resume", params).await;
    let mut texts = Vec::new();
    loop {
        let message = ed.wire.recv().await;
        if message["id"] == resume {
            break;
        }
        let update = ed.checked(&message);
        if update["messageId"] == id {
            texts.push(update["content"].clone());
        }
    }
    assert_eq!(texts.len(), 1, "{texts:?}");
}

#[tokio::test]
async fn without_steering_a_second_prompt_is_refused() {
    for version in [1, 2] {
        let go = Arc::new(Semaphore::new(0));
        let agent =
            Router::new("deaf", "1", Listener { go: Arc::clone(&go) }).on::<op::Prompt, _>(Listener::prompt);
        let mut ed = Ed::open(version, agent).await;
        ready(&mut ed, "wait x").await;
        let second = ed.wire.prompt(&ed.session, "second").await;
        assert_eq!(code(&ed.wire.answer_to(second).await), -32600);
    }
}

#[tokio::test]
async fn in_version_1_steering_is_an_extension_and_a_second_prompt_is_refused() {
    let (agent, go) = listener();
    let mut ed = Ed::open(1, agent).await;
    let first = ready(&mut ed, "wait x").await;
    let second = ed.wire.prompt(&ed.session, "second").await;
    assert_eq!(code(&ed.wire.answer_to(second).await), -32600);
    go.add_permits(1);
    assert_eq!(ed.end(first).await.0, "end_turn");
}

/// Takes messages until it is told to end.
struct Loop {
    end: Arc<Semaphore>,
}

impl Loop {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        loop {
            tokio::select! {
                message = turn.steered() => turn.say(message?.text()).await?,
                permit = self.end.acquire() => {
                    permit.unwrap().forget();
                    return Ok(StopReason::EndTurn);
                }
            }
        }
    }
}

async fn each_prompt_is_inserted_once_whenever_the_turn_ends() {
    let end = Arc::new(Semaphore::new(0));
    let router = Router::new("loop", "1", Loop { end: Arc::clone(&end) });
    let mut ed = Ed::open(2, router.steering().on::<op::Prompt, _>(Loop::prompt)).await;
    for round in 0..200 {
        let mut open = vec![ed.wire.prompt(&ed.session, "first").await];
        for text in ["second", "third"] {
            open.push(ed.wire.prompt(&ed.session, text).await);
        }
        if round % 2 == 0 {
            tokio::task::yield_now().await;
        }
        // One end for each turn that there can be.
        end.add_permits(3);
        let (mut running, mut ids) = (false, Vec::new());
        while running || !open.is_empty() {
            let message = ed.wire.recv().await;
            if let Some(id) = message["id"].as_u64() {
                let at = open.iter().position(|open| *open == id).expect("one answer to each");
                open.remove(at);
                ids.push(message["result"]["messageId"].as_str().unwrap().to_owned());
                // It belongs to the turn that runs, or begins one.
                running = true;
                continue;
            }
            let update = ed.checked(&message);
            match update["state"].as_str() {
                Some("running") => running = true,
                Some(_) => running = false,
                None if update["sessionUpdate"] == "user_message" => {
                    assert_eq!(update["messageId"], ids.last().unwrap().as_str());
                }
                None => assert!(running, "a piece outside of a turn: {update}"),
            }
        }
        assert_eq!(ids.len(), 3);
        while let Ok(permit) = end.try_acquire() {
            permit.forget();
        }
    }
}

#[tokio::test]
async fn each_prompt_is_inserted_once_on_one_thread() {
    each_prompt_is_inserted_once_whenever_the_turn_ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_prompt_is_inserted_once_on_two_threads() {
    each_prompt_is_inserted_once_whenever_the_turn_ends().await;
}

/// A prompt that is offered to the turn is in it, or gets a turn of its own.
#[tokio::test]
async fn a_prompt_that_is_offered_is_decided_about() {
    async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
        turn.say("ready").await?;
        match turn.text().as_str() {
            "take" => assert!(turn.steering_offered().await?.take()?),
            "decline" => turn.steering_offered().await?.decline(),
            _ => {}
        }
        Ok(StopReason::EndTurn)
    }
    for decision in ["take", "decline"] {
        let agent = Router::new("offers", "1", ()).steering().on::<op::Prompt, _>(prompt);
        let mut ed = Ed::open(2, agent).await;
        let first = ready(&mut ed, decision).await;
        let second = ed.wire.prompt(&ed.session, "second").await;
        if decision == "take" {
            inserted(&mut ed, second, "second").await;
            assert_eq!(ed.end(first).await.0, "end_turn");
        } else {
            assert_eq!(ed.end(first).await.0, "end_turn");
            inserted(&mut ed, second, "second").await;
            assert_eq!(ed.update().await["state"], "running");
            assert_eq!(ed.update().await["content"]["text"], "ready");
            assert_eq!(ed.end(second).await.0, "end_turn");
        }
        assert_eq!(ed.wire.close().await, [Value::Null; 0]);
    }
}
