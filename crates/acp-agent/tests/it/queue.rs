//! Prompts that wait for the session's turn.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use acp_agent::{Agent, PROMPT_QUEUE, Result, Router, Session, StopReason, Turn, op};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::{Wire, check_error};

/// Says the prompt's text. Some texts are orders.
struct Talker {
    /// Lets one `wait` go on for each permit.
    gate: Arc<Semaphore>,
    heard: Arc<Mutex<Vec<String>>>,
    running: AtomicUsize,
}

/// Counts the turns of a session that run at the same time.
struct Running<'a>(&'a AtomicUsize);

impl<'a> Running<'a> {
    fn start(count: &'a AtomicUsize) -> Self {
        assert_eq!(count.fetch_add(1, Ordering::SeqCst), 0, "one turn at a time");
        Running(count)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Talker {
    async fn prompt(&self, turn: Turn, _session: Session<()>) -> Result<StopReason> {
        let _running = Running::start(&self.running);
        self.heard.lock().unwrap().push(turn.text());
        let text = turn.text();
        match text.split(' ').next().unwrap() {
            "wait" => self.gate.acquire().await.unwrap().forget(),
            "fail" => return Err("it has failed".into()),
            "panic" => panic!("as asked"),
            "last" => {
                turn.cancelled().await;
                turn.uncancelled().say("last words").await?;
            }
            _ => {}
        }
        turn.say(text).await?;
        Ok(StopReason::EndTurn)
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

struct Handles {
    gate: Arc<Semaphore>,
    heard: Arc<Mutex<Vec<String>>>,
}

fn talker() -> (impl Agent, Handles) {
    let gate = Arc::new(Semaphore::new(0));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let state = Talker { gate: Arc::clone(&gate), heard: Arc::clone(&heard), running: AtomicUsize::new(0) };
    let agent = Router::new("talker", "1", state)
        .queue_prompts()
        .on::<op::Prompt, _>(Talker::prompt)
        .on::<op::CloseSession, _>(Talker::close);
    (agent, Handles { gate, heard })
}

/// Reads the messages up to the answers to these requests. Returns the texts before each answer,
/// and the answer.
async fn answers(wire: &mut Wire, ids: &[u64]) -> Vec<(u64, Vec<String>, Value)> {
    let mut answers = Vec::new();
    let mut said = Vec::new();
    while answers.len() < ids.len() {
        let message = wire.recv().await;
        match message["id"].as_u64() {
            Some(id) => {
                assert!(ids.contains(&id), "{message}");
                answers.push((id, std::mem::take(&mut said), message));
            }
            None => said.push(message["params"]["update"]["content"]["text"].as_str().unwrap().to_owned()),
        }
    }
    answers
}

fn reason(answer: &Value) -> &str {
    answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test]
async fn prompts_run_one_after_the_other_in_the_order_they_came() {
    let (agent, handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let mut ids = vec![wire.prompt(&session, "wait").await];
    for number in 0..PROMPT_QUEUE {
        ids.push(wire.prompt(&session, &number.to_string()).await);
    }
    // This prompt is one too many.
    let refused = wire.prompt(&session, "too many").await;
    check_error(&wire.answer_to(refused).await, -32600, &["16", &session]);
    handles.gate.add_permits(1);
    for (index, (id, said, answer)) in answers(&mut wire, &ids.clone()).await.into_iter().enumerate() {
        let text = if index == 0 { "wait".to_owned() } else { (index - 1).to_string() };
        assert_eq!((id, said, reason(&answer)), (ids[index], vec![text], "end_turn"));
    }
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

#[tokio::test]
async fn sessions_do_not_wait_for_each_other() {
    let (agent, handles) = talker();
    let agent = Arc::new(agent);
    let mut one = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
    one.initialize(json!({})).await;
    let (first, second) = (one.new_session().await, one.new_session().await);
    let waiting = one.prompt(&first, "wait").await;
    // The counter of turns is shared, so the turn of the other session panics: both run at once.
    let other = one.prompt(&second, "hi").await;
    check_error(&one.answer_to(other).await, -32603, &[]);
    handles.gate.add_permits(1);
    assert_eq!(one.said().await, "wait");
    assert_eq!(one.stopped(waiting).await, "end_turn");
}

#[tokio::test]
async fn a_prompt_that_is_cancelled_while_it_waits_never_runs() {
    let (agent, handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let first = wire.prompt(&session, "wait").await;
    let second = wire.prompt(&session, "second").await;
    let third = wire.prompt(&session, "third").await;
    wire.notify("$/cancel_request", json!({"requestId": second})).await;
    assert_eq!(wire.stopped(second).await, "cancelled");
    handles.gate.add_permits(1);
    let ends = answers(&mut wire, &[first, third]).await;
    assert_eq!((ends[0].0, &*ends[0].1, reason(&ends[0].2)), (first, &["wait".to_owned()][..], "end_turn"));
    assert_eq!((ends[1].0, &*ends[1].1, reason(&ends[1].2)), (third, &["third".to_owned()][..], "end_turn"));
    assert_eq!(*handles.heard.lock().unwrap(), ["wait", "third"]);
}

#[tokio::test]
async fn cancelling_the_session_cancels_what_was_sent_before() {
    let (agent, handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let first = wire.prompt(&session, "last").await;
    let second = wire.prompt(&session, "second").await;
    wire.cancel(&session).await;
    let third = wire.prompt(&session, "third").await;
    let mut ends = HashMap::new();
    for (id, said, answer) in answers(&mut wire, &[first, second, third]).await {
        ends.insert(id, (said, reason(&answer).to_owned()));
    }
    assert_eq!(ends[&first].1, "cancelled");
    assert_eq!(ends[&second].1, "cancelled");
    assert_eq!(ends[&third], (vec!["third".to_owned()], "end_turn".to_owned()));
    assert_eq!(*handles.heard.lock().unwrap(), ["last", "third"]);
}

#[tokio::test]
async fn closing_the_session_answers_every_prompt_before_itself() {
    let (agent, handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompts = [wire.prompt(&session, "wait").await, wire.prompt(&session, "second").await];
    let close = wire.request("session/close", json!({"sessionId": session})).await;
    let ends = answers(&mut wire, &[prompts[0], prompts[1], close]).await;
    assert_eq!(ends[2].0, close);
    assert!(ends[..2].iter().all(|(_, said, answer)| said.is_empty() && reason(answer) == "cancelled"));
    assert_eq!(*handles.heard.lock().unwrap(), ["wait"]);
}

#[tokio::test]
async fn a_client_that_goes_away_ends_those_that_wait() {
    let (agent, handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let ids = [wire.prompt(&session, "wait").await, wire.prompt(&session, "second").await];
    wire.refused("_none", json!({}), -32601, &[]).await;
    let rest = wire.close().await;
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert!(rest.iter().all(|answer| ids.contains(&answer["id"].as_u64().unwrap())), "{rest:?}");
    assert!(rest.iter().all(|answer| reason(answer) == "cancelled"), "{rest:?}");
    assert_eq!(*handles.heard.lock().unwrap(), ["wait"]);
}

/// Nothing of a turn is sent before the answer of the turn before it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_next_turn_begins_behind_the_answer() {
    let (agent, _handles) = talker();
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    for round in 0..200 {
        let text = ["say", "fail", "panic", "cancel"][round % 4];
        let first = wire.prompt(&session, if text == "cancel" { "last" } else { text }).await;
        if text == "cancel" {
            wire.notify("$/cancel_request", json!({"requestId": first})).await;
        }
        let second = wire.prompt(&session, "second").await;
        let ends = answers(&mut wire, &[first, second]).await;
        assert_eq!((ends[0].0, ends[1].0), (first, second), "{text}");
        assert_eq!(ends[1].1, ["second"], "{text}");
    }
}
