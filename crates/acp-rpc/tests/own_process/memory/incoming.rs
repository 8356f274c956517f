//! A consumer that does not take its messages.

use std::sync::atomic::Ordering;

use acp_rpc::{CallError, Options};
use testkit::Meter;

use super::stage::{Stage, stands_still};
use super::{Case, MIB};

pub(crate) const CASES: &[Case] = &[
    ("messages of 60 bytes in one lane", || Box::pin(hoard("lane", r#"["a"]"#))),
    ("text chunks in one lane", || Box::pin(hoard("lane", CHUNK))),
    ("nested arrays in one lane", || Box::pin(hoard("lane", NESTED))),
    ("deep arrays in one lane", || Box::pin(hoard("lane", DEEP))),
    ("many members in one lane", || Box::pin(hoard("lane", MEMBERS))),
    ("short texts in one lane", || Box::pin(hoard("lane", TEXTS))),
    ("messages of 60 bytes beside each other", || Box::pin(hoard("task", r#"["a"]"#))),
    ("text chunks beside each other", || Box::pin(hoard("task", CHUNK))),
    ("100,000 lanes", || Box::pin(lanes())),
    ("large messages in one lane", || Box::pin(large_messages())),
    ("answers in a lane", || Box::pin(answers())),
    ("a flood while a request waits", || Box::pin(ceiling())),
];

const BUDGET: usize = 16 * MIB;
const CHUNK: &str = r#"{"sessionId":"sess_0123456789abcdef","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"A few words of an answer, as they come out of a model, and more"}}}"#;
const NESTED: &str =
    "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]";
const DEEP: &str = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";
const MEMBERS: &str =
    r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":{},"j":[{"k":0},{"l":0},{"m":0}]}"#;
const TEXTS: &str = r#"["","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r","s","t","u"]"#;

fn notification(method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n")
}

async fn hoard(method: &str, params: &'static str) {
    let mut stage = Stage::new(Options::default().incoming_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let line = notification(method, params);
    let taken = stage.flood((0..200_000).map(move |_| line.clone()));
    stands_still(&taken).await;
    assert!(taken.load(Ordering::Relaxed) < 200_000, "the peer must feel it");
    meter.stayed_within(BUDGET).unwrap();
    stage.recovers().await;
}

async fn lanes() {
    let mut stage = Stage::new(Options::default().incoming_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let taken = stage.flood((0..100_000).map(|lane| notification("lane", &format!("[\"lane {lane}\"]"))));
    stands_still(&taken).await;
    assert!(taken.load(Ordering::Relaxed) < 100_000, "the peer must feel it");
    meter.stayed_within(BUDGET).unwrap();
    stage.recovers().await;
}

async fn large_messages() {
    const MESSAGE: usize = 6 * MIB;
    let mut stage = Stage::new(Options::default().incoming_budget(BUDGET)).await;
    let meter = Meter::new().unwrap();
    let pieces = (0..10).flat_map(|_| {
        let text = (0..MESSAGE / MIB).map(|_| "x".repeat(MIB));
        let start = std::iter::once("{\"jsonrpc\":\"2.0\",\"method\":\"lane\",\"params\":\"".to_owned());
        start.chain(text).chain(std::iter::once("\"}\n".to_owned()))
    });
    let taken = stage.flood(pieces);
    stands_still(&taken).await;
    // The budget, the message that exceeded it, and the line of that message.
    meter.stayed_within(BUDGET + 2 * MESSAGE).unwrap();
    stage.recovers().await;
}

async fn answers() {
    let mut stage = Stage::new(Options::default().incoming_budget(BUDGET)).await;
    // Memory of a call that waits is this side's own, so it is there before measuring begins.
    for _ in 0..20_000 {
        let peer = stage.peer.clone();
        tokio::spawn(
            async move { peer.request_in_lane::<_, acp_json::Value>("only".into(), "ask", &()).await },
        );
    }
    stage.serves().await;
    let meter = Meter::new().unwrap();
    let blocker = std::iter::once(notification("lane", "null"));
    let taken =
        stage.flood(blocker.chain(
            (0..20_000).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{NESTED}}}\n")),
        ));
    stands_still(&taken).await;
    assert!(taken.load(Ordering::Relaxed) < 20_000, "the peer must feel it");
    meter.stayed_within(BUDGET).unwrap();
    stage.recovers().await;
}

async fn ceiling() {
    let options = Options::default().incoming_budget(MIB).incoming_ceiling(BUDGET);
    let mut stage = Stage::new(options).await;
    let peer = stage.peer.clone();
    let call = tokio::spawn(async move { peer.request::<_, acp_json::Value>("ask", &()).await });
    let meter = Meter::new().unwrap();
    let taken = stage.flood((0..200_000).map(|_| notification("lane", CHUNK)));
    stands_still(&taken).await;
    meter.stayed_within(BUDGET).unwrap();
    assert!(matches!(call.await.unwrap(), Err(CallError::Overloaded { .. })));
    stage.recovers().await;
}
