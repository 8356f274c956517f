//! Messages of the user that reach a turn while it runs, by `_session/steering`.

#[cfg(feature = "store")]
mod kept;
mod offers;
mod outcomes;
mod races;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use acp_agent::{Agent, Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::support::Wire;

const METHOD: &str = "_session/steering";

/// Takes steering messages as the prompt says.
struct Listener {
    /// Lets one `then` of a prompt go on for each permit.
    gate: Arc<Semaphore>,
}

impl Listener {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("ready").await?;
        let text = turn.text();
        let mut words = text.split(' ');
        match words.next().unwrap() {
            "take" => {
                for _ in 0..words.next().unwrap().parse::<usize>().unwrap() {
                    turn.say(turn.steered().await?.text()).await?;
                }
            }
            "poll" => {
                self.gate.acquire().await.unwrap().forget();
                while let Some(message) = turn.try_steered()? {
                    turn.say(message.text()).await?;
                }
            }
            "wait" => self.gate.acquire().await.unwrap().forget(),
            "fail" => {
                self.gate.acquire().await.unwrap().forget();
                return Err("it has failed".into());
            }
            "panic" => {
                self.gate.acquire().await.unwrap().forget();
                panic!("as asked");
            }
            "hang" => turn.cancelled().await,
            // Two clones wait at the same time, and each future is dropped once.
            "both" => {
                for _ in 0..3 {
                    let mut wait = pin!(turn.steered());
                    assert!(poll_fn(|cx| Poll::Ready(wait.as_mut().poll(cx).is_pending())).await);
                }
                let other = turn.clone();
                let (a, b) = tokio::join!(turn.steered(), other.steered());
                let mut texts = [a?.text(), b?.text()];
                texts.sort();
                turn.say(texts.join(" ")).await?;
            }
            other => panic!("{other}"),
        }
        Ok(StopReason::EndTurn)
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

fn listener() -> (impl Agent, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let agent = Router::new("listener", "1", Listener { gate: Arc::clone(&gate) })
        .steering()
        .on::<op::Prompt, _>(Listener::prompt)
        .on::<op::CloseSession, _>(Listener::close);
    (agent, gate)
}

fn message(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}],
        "_meta": {"steering": {"idleBehavior": "promptRequired"}}})
}

async fn steer(wire: &mut Wire, session: &str, text: &str) -> u64 {
    wire.request(METHOD, message(session, text)).await
}

/// Starts a turn, and returns when its handler runs.
async fn begin(wire: &mut Wire, session: &str, text: &str) -> u64 {
    let prompt = wire.prompt(session, text).await;
    assert_eq!(wire.said().await, "ready");
    prompt
}

/// Reads the messages up to the answers to these requests. Returns the texts that were said, and
/// the answers.
async fn until_answered(wire: &mut Wire, ids: &[u64]) -> (Vec<String>, BTreeMap<u64, Value>) {
    let (mut said, mut answers) = (Vec::new(), BTreeMap::new());
    while answers.len() < ids.len() {
        let message = wire.recv().await;
        match message["id"].as_u64() {
            Some(id) => {
                assert!(ids.contains(&id), "{message}");
                assert!(answers.insert(id, message).is_none(), "two answers to {id}");
            }
            None => said.push(message["params"]["update"]["content"]["text"].as_str().unwrap().to_owned()),
        }
    }
    (said, answers)
}

fn injected() -> Value {
    json!({"outcome": "injected"})
}

fn prompt_required() -> Value {
    json!({"outcome": "promptRequired", "reason": "noRunningTurn"})
}
