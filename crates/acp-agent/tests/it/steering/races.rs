//! Messages that come while the turn ends: each is taken, or given back, and never both.

use std::sync::{Arc, Mutex};

use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use super::{injected, prompt_required, steer, until_answered};
use crate::support::Wire;

const ROUNDS: usize = 50;
const MESSAGES: usize = 20;

type Heard = Arc<Mutex<Vec<String>>>;

/// Takes some messages, and ends as soon as none waits.
async fn prompt(heard: &Heard, turn: Turn) -> Result<StopReason> {
    let first = turn.steered().await?.text();
    heard.lock().unwrap().push(first);
    tokio::task::yield_now().await;
    while let Some(message) = turn.try_steered()? {
        heard.lock().unwrap().push(message.text());
    }
    Ok(StopReason::EndTurn)
}

fn runtimes() -> [Runtime; 2] {
    [Builder::new_current_thread(), Builder::new_multi_thread()]
        .map(|mut builder| builder.worker_threads(2).enable_all().build().unwrap())
}

#[test]
fn no_message_is_lost_and_none_is_taken_twice() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let heard = Heard::default();
            let agent = Router::new("race", "1", Arc::clone(&heard)).steering().on::<op::Prompt, _>(prompt);
            let (mut wire, session) = Wire::open(agent, json!({})).await;
            for round in 0..ROUNDS {
                heard.lock().unwrap().clear();
                let mut ids = vec![wire.prompt(&session, "go").await];
                for number in 0..MESSAGES {
                    ids.push(steer(&mut wire, &session, &number.to_string()).await);
                }
                let (_, answers) = until_answered(&mut wire, &ids).await;
                let mut taken = Vec::new();
                for (number, id) in ids[1..].iter().enumerate() {
                    let result = &answers[id]["result"];
                    if *result == injected() {
                        taken.push(number.to_string());
                    } else {
                        assert_eq!(*result, prompt_required(), "{round}");
                    }
                }
                assert_eq!(*heard.lock().unwrap(), taken, "{round}");
                assert_eq!(answers[&ids[0]]["result"]["stopReason"], "end_turn");
            }
        });
    }
}

/// Cancels of turns and of messages in the middle of all that.
#[test]
fn a_withdrawn_message_is_not_taken() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let heard = Heard::default();
            let agent = Router::new("race", "1", Arc::clone(&heard)).steering().on::<op::Prompt, _>(prompt);
            let (mut wire, session) = Wire::open(agent, json!({})).await;
            for round in 0..ROUNDS {
                heard.lock().unwrap().clear();
                let mut ids = vec![wire.prompt(&session, "go").await];
                for number in 0..MESSAGES {
                    let id = steer(&mut wire, &session, &number.to_string()).await;
                    ids.push(id);
                    match number % 3 {
                        0 => wire.notify("$/cancel_request", json!({"requestId": id})).await,
                        _ if number + 1 == MESSAGES => wire.cancel(&session).await,
                        _ => {}
                    }
                }
                let (_, answers) = until_answered(&mut wire, &ids).await;
                let is_taken = |id: &u64| answers[id]["result"] == injected();
                let taken: Vec<_> = (0..MESSAGES).filter(|number| is_taken(&ids[number + 1])).collect();
                let taken: Vec<_> = taken.iter().map(ToString::to_string).collect();
                assert_eq!(*heard.lock().unwrap(), taken, "{round}");
                for id in &ids[1..] {
                    let answer = &answers[id];
                    let is_known = is_taken(id) || answer["result"] == prompt_required();
                    assert!(is_known || answer["error"]["code"] == -32800, "{answer}");
                }
            }
        });
    }
}
