//! Messages in pieces: streams of text, and message ids.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use acp_agent::{Error, Result, StopReason, Turn, agent};
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

/// A stream without items, which reports its drop.
struct Endless(Arc<AtomicBool>);

impl Stream for Endless {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<String>> {
        Poll::Pending
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[derive(Default)]
struct Speaker {
    dropped: Arc<AtomicBool>,
}

#[agent]
impl Speaker {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let whole = match &*turn.text() {
            "results" => turn.stream(stream::iter(["Hel", "", "lo"].map(Ok::<_, io::Error>))).await?,
            "texts" => turn.stream(stream::iter(["Hel", "", "lo"])).await?,
            "strings" => turn.stream(stream::iter(["Hel".to_owned(), "lo".to_owned()])).await?,
            "thought" => turn.stream_thought(stream::iter(["Hel", "lo"])).await?,
            "user" => {
                let message = turn.user_message().with_id("chosen");
                message.say("Hel").await?;
                message.send("lo").await?;
                "Hello".to_owned()
            }
            "broken" => {
                let texts = [Ok("Hel"), Err(io::Error::other("the model is out")), Ok("lo")];
                turn.stream(stream::iter(texts)).await?
            }
            "ours" => turn.stream(stream::iter([Err::<String, _>(Error::auth_required())])).await?,
            "endless" => {
                turn.stream(stream::iter(["Hel".to_owned()]).chain(Endless(Arc::clone(&self.dropped))))
                    .await?
            }
            other => panic!("{other}"),
        };
        assert_eq!(whole, "Hello");
        Ok(StopReason::EndTurn)
    }
}

async fn open() -> (Wire, String) {
    Wire::open(Speaker::default(), json!({})).await
}

#[tokio::test]
async fn a_stream_is_one_message() {
    let table = [
        ("results", "agent_message_chunk"),
        ("texts", "agent_message_chunk"),
        ("strings", "agent_message_chunk"),
        ("thought", "agent_thought_chunk"),
        ("user", "user_message_chunk"),
    ];
    let (mut wire, session) = open().await;
    let mut ids = Vec::new();
    for (text, kind) in table {
        let (updates, answer) = wire.turn(&session, text).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        let id = &updates[0]["messageId"];
        let piece = |text: &str| json!({"sessionUpdate": kind, "messageId": id, "content": {"type": "text", "text": text}});
        // The empty piece is left out.
        assert_eq!(updates, [piece("Hel"), piece("lo")], "{text}");
        ids.push(id.as_str().unwrap().to_owned());
    }
    assert_eq!(ids.pop().unwrap(), "chosen");
    // Each message has an id of its own.
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[tokio::test]
async fn an_error_of_the_stream_ends_the_message() {
    let (mut wire, session) = open().await;
    let (updates, answer) = wire.turn(&session, "broken").await;
    assert_eq!(updates.len(), 1);
    check_error(&answer, -32603, &["the model is out"]);
    // An error of the library keeps its code.
    let (updates, answer) = wire.turn(&session, "ours").await;
    assert_eq!(updates, Vec::<Value>::new());
    check_error(&answer, -32000, &["authenticate"]);
}

#[tokio::test]
async fn a_cancelled_turn_drops_its_stream() {
    let agent = Speaker::default();
    let dropped = Arc::clone(&agent.dropped);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = wire.prompt(&session, "endless").await;
    assert_eq!(wire.said().await, "Hel");
    assert!(!dropped.load(Ordering::Acquire));
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    assert!(dropped.load(Ordering::Acquire));
}

/// Streams long texts, and counts those that were taken from the model.
struct Model {
    taken: Arc<AtomicUsize>,
}

const COUNT: usize = 1000;

#[agent]
impl Model {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let taken = Arc::clone(&self.taken);
        let texts = stream::iter(0..COUNT).map(move |number| {
            taken.fetch_add(1, Ordering::Relaxed);
            format!("{number:01000}")
        });
        turn.stream(texts).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_stream_waits_for_a_client_that_does_not_read() {
    let taken = Arc::new(AtomicUsize::new(0));
    let mut wire = Wire::serve_through(Arc::new(Model { taken: Arc::clone(&taken) }), 4096);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let prompt = wire.prompt(&session, "go").await;
    // Give it as many chances to run as it needs to take all texts.
    for _ in 0..10 * COUNT {
        tokio::task::yield_now().await;
    }
    // Texts are taken while they fit into the pipe and the budget before it. One more went over the
    // budget, and one waits.
    assert!(taken.load(Ordering::Relaxed) <= 10, "{taken:?}");
    for number in 0..COUNT {
        assert_eq!(wire.said().await, format!("{number:01000}"));
    }
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}
