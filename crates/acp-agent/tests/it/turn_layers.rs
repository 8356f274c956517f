//! Turns behind layers that answer in the turn's place, or that let a cancelled turn wait.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::layer::{Concurrency, Only, RateLimit, Timeout, layer_fn};
use acp_agent::types::methods::SessionPrompt;
use acp_agent::{Agent, Options, Result, Router, StopReason, Turn, op};
use acp_json::Node;
use acp_rpc::{CloseReason, Delivery, Error as RpcError, Fault, Peer, Request, Service, Task};
use acp_types::method::Method as _;
use serde_json::{Value, json};

use crate::support::Wire;

/// Says the prompt's text. The turn of `hang` does not end, and that of `fail` fails.
async fn talk(_: &(), turn: Turn) -> Result<StopReason> {
    match &*turn.text() {
        "hang" => std::future::pending().await,
        "fail" => Err("it has failed".into()),
        text => {
            turn.say(text).await?;
            Ok(StopReason::EndTurn)
        }
    }
}

async fn close(_: &()) -> Result<()> {
    Ok(())
}

fn talker() -> impl Agent {
    Router::new("talker", "1", ()).queue_prompts().on::<op::Prompt, _>(talk).on::<op::CloseSession, _>(close)
}

fn is_prompt(method: &str) -> bool {
    method == SessionPrompt::NAME
}

/// A service that answers prompts late. The outcome is known and the task is gone, but the answer
/// is not written yet. All other tasks have time to use the outcome.
struct Late<S>(S);

impl<S: Service> Service for Late<S> {
    fn request(
        &self,
        method: &str,
        params: Node<'_>,
        request: Request,
    ) -> std::result::Result<Task, RpcError> {
        let task = self.0.request(method, params, request)?;
        if !is_prompt(method) {
            return Ok(task);
        }
        Ok(Box::pin(async move {
            let outcome = task.await;
            for _ in 0..200 {
                tokio::task::yield_now().await;
            }
            outcome
        }))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        self.0.notification(method, params, peer)
    }

    fn fault(&self, fault: Fault<'_>) {
        self.0.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.0.closed(reason);
    }
}

/// Reads up to the answers to these requests. Returns the texts and the answers' ids, in order.
async fn heard(wire: &mut Wire, ids: &[u64]) -> Vec<(Value, Value)> {
    let mut heard = Vec::new();
    let mut open = ids.len();
    while open > 0 {
        let mut message = wire.recv().await;
        let text = message["params"]["update"]["content"]["text"].take();
        open -= usize::from(text.is_null());
        heard.push((message["id"].take(), text));
    }
    heard
}

#[tokio::test]
async fn the_next_turn_begins_behind_an_answer_that_a_layer_holds_back() {
    let late = layer_fn(|inner: Arc<dyn Service>| Late(inner));
    for text in ["hi", "fail"] {
        let options = Options::default().layer_in(late);
        let mut wire = Wire::serve_with(talker(), options);
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        let first = wire.prompt(&session, text).await;
        let second = wire.prompt(&session, "second").await;
        let mut expected = vec![(json!(first), Value::Null), (Value::Null, json!("second"))];
        if text == "hi" {
            expected.insert(0, (Value::Null, json!("hi")));
        }
        expected.push((json!(second), Value::Null));
        assert_eq!(heard(&mut wire, &[first, second]).await, expected);
    }
}

/// The layer drops the task and gives the answer itself.
#[tokio::test]
async fn the_next_turn_begins_behind_the_answer_of_a_timeout() {
    let late = layer_fn(|inner: Arc<dyn Service>| Late(inner));
    let timeout = Only::new(is_prompt, Timeout::new(Duration::from_millis(1)));
    let options = Options::default().layer_in(late).layer_in(timeout);
    let mut wire = Wire::serve_with(talker(), options);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    for _ in 0..20 {
        let first = wire.prompt(&session, "hang").await;
        let second = wire.prompt(&session, "second").await;
        let heard = heard(&mut wire, &[first, second]).await;
        let position = |what: (Value, Value)| heard.iter().position(|heard| *heard == what);
        let answered = position((json!(first), Value::Null)).unwrap();
        // The second turn may run out of time, too, and then its answer may come first. It never
        // says anything before the first answer.
        assert!(position((Value::Null, json!("second"))).is_none_or(|said| said > answered), "{heard:?}");
    }
}

/// Timeouts on several threads, without a layer that provokes the wrong order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_change_nothing_about_that() {
    let timeout = Only::new(is_prompt, Timeout::new(Duration::from_millis(2)));
    let mut wire = Wire::serve_with(talker(), Options::default().layer_in(timeout));
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    for round in 0..200 {
        let first = wire.prompt(&session, ["hang", "fail"][round % 2]).await;
        let second = wire.prompt(&session, "second").await;
        let heard = heard(&mut wire, &[first, second]).await;
        let position = |what: (Value, Value)| heard.iter().position(|heard| *heard == what);
        let answered = position((json!(first), Value::Null)).unwrap();
        assert!(position((Value::Null, json!("second"))).is_none_or(|said| said > answered), "{heard:?}");
    }
}

/// Serves with a layer that admits one prompt at a time, and starts that prompt.
async fn full(options: Options) -> (Wire, String) {
    let mut wire = Wire::serve_with(talker(), options);
    wire.initialize(json!({})).await;
    let (other, session) = (wire.new_session().await, wire.new_session().await);
    wire.prompt(&other, "hang").await;
    (wire, session)
}

fn limits() -> [(&'static str, Options); 2] {
    let hour = Duration::from_secs(3600);
    [
        ("Concurrency", Options::default().layer_in(Only::new(is_prompt, Concurrency::new(1)))),
        ("RateLimit", Options::default().layer_in(Only::new(is_prompt, RateLimit::new(1, hour)))),
    ]
}

#[tokio::test]
async fn a_turn_that_waits_in_a_layer_is_cancelled_like_any_other() {
    for (name, options) in limits() {
        let (mut wire, session) = full(options).await;
        let waiting = wire.prompt(&session, "hi").await;
        wire.cancel(&session).await;
        assert_eq!(wire.stopped(waiting).await, "cancelled", "{name}: session/cancel");

        let waiting = wire.prompt(&session, "hi").await;
        wire.notify("$/cancel_request", json!({"requestId": waiting})).await;
        assert_eq!(wire.stopped(waiting).await, "cancelled", "{name}: $/cancel_request");

        let waiting = wire.prompt(&session, "hi").await;
        let closing = wire.request("session/close", json!({"sessionId": session})).await;
        assert_eq!(wire.stopped(waiting).await, "cancelled", "{name}: session/close");
        assert_eq!(wire.answer_to(closing).await["result"], json!({}), "{name}");
    }
}

#[tokio::test]
async fn what_waits_for_a_turn_that_a_layer_has_given_up_runs_after_it() {
    let (mut wire, session) = full(limits()[0].1.clone()).await;
    let waiting = wire.prompt(&session, "hi").await;
    let next = wire.prompt(&session, "next").await;
    wire.notify("$/cancel_request", json!({"requestId": waiting})).await;
    assert_eq!(wire.stopped(waiting).await, "cancelled");
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(next).await, "cancelled");
}
