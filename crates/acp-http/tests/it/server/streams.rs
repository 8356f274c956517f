//! Streams: what goes where, and in which order.

use acp_http::server::Options;
use serde_json::json;

use super::lab::Lab;

async fn send(lab: &Lab, id: &str, message: serde_json::Value) {
    let answer = lab.post(&[id], &message.to_string()).await;
    assert_eq!(answer.status, 202, "{answer:?}");
}

#[tokio::test]
async fn a_session_from_its_beginning_to_its_end() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    // rm-get-03, rm-sse-04: the stream is there before its first event.
    let mut connection = lab.get(&[&id]).await;
    assert_eq!(connection.answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(connection.answer.header("cache-control"), Some("no-store, no-transform"));
    assert_eq!(connection.answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(connection.line().await.unwrap(), ":");
    // rm-sse-01, rm-sse-02, rm-str-03
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}})).await;
    let (number, opened) = connection.next().await.unwrap();
    assert_eq!((number, opened["result"]["sessionId"].as_str()), (1, Some("s1")));
    // rm-get-04
    let mut session = lab.get(&[&id, "acp-session-id: s1"]).await;
    // rm-get-06: one reader; only one who has seen everything takes over.
    let taken = lab.get(&[&id, "acp-session-id: s1"]).await;
    assert_eq!(taken.answer.status, 409);
    // rm-str-01, rm-str-02, rm-str-05, rm-str-10
    let prompt =
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1"}});
    send(&lab, &id, prompt).await;
    for (number, note) in [(1, "one"), (2, "two")] {
        let (seen, update) = session.next().await.unwrap();
        assert_eq!((seen, update["params"]["update"]["note"].as_str()), (number, Some(note)));
    }
    let (_, question) = session.next().await.unwrap();
    assert_eq!(question["method"], "session/request_permission");
    // rm-post-18
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {}}).to_string();
    assert_eq!(lab.post(&[&id, "acp-session-id: other"], &answer).await.status, 400);
    assert_eq!(lab.post(&[&id], &answer).await.status, 202);
    assert_eq!(session.next().await.unwrap().1["id"], 2);
    // rm-get-06, the other half
    let mut session = {
        let next = lab.get(&[&id, "acp-session-id: s1", "last-event-id: 4"]).await;
        assert_eq!(next.answer.status, 200);
        assert!(session.next().await.is_none());
        next
    };
    // rm-str-06
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 3, "method": "_echo", "params": {}})).await;
    assert_eq!(connection.next().await.unwrap().1["id"], 3);
    // rm-str-05: the stream ends with the session.
    let close = json!({"jsonrpc": "2.0", "id": 4, "method": "session/close", "params": {"sessionId": "s1"}});
    send(&lab, &id, close).await;
    assert_eq!(session.next().await.unwrap(), (5, session_answer()));
    assert!(session.next().await.is_none());
}

fn session_answer() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 4, "result": {"protocolVersion": 1, "session": "s1"}})
}

#[tokio::test]
async fn rm_str_04_the_answer_of_load_follows_the_replay() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let load = json!({"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "old"}});
    // rm-get-05: the agent does not know the session yet.
    let mut session = lab.get(&[&id, "acp-session-id: old"]).await;
    send(&lab, &id, load.clone()).await;
    for expected in ["session/update", "session/update"] {
        assert_eq!(session.next().await.unwrap().1["method"], expected);
    }
    assert_eq!(session.next().await.unwrap().1["id"], 1);
    // Without the stream of the session the answer is on that of the connection.
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    send(&lab, &id, load).await;
    assert_eq!(connection.next().await.unwrap().1["id"], 1);
}

#[tokio::test]
async fn rm_get_05_few_streams_of_unknown_sessions_are_open() {
    let lab = Lab::start(Options::new().unconfirmed(1)).await;
    let id = lab.initialize().await;
    let _first = lab.get(&[&id, "acp-session-id: a"]).await;
    assert_eq!(lab.get(&[&id, "acp-session-id: b"]).await.answer.status, 404);
}

#[tokio::test]
async fn rm_str_11_an_agent_waits_for_readers_within_the_budget() {
    let lab = Lab::start(Options::new().buffer(1000)).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    let flood = json!({"jsonrpc": "2.0", "id": 1, "method": "_flood", "params": {"sessionId": "s"}});
    send(&lab, &id, flood).await;
    // The stream is read only now, and nothing is lost.
    let mut session = lab.get(&[&id, "acp-session-id: s"]).await;
    for number in 1..=10_000 {
        assert_eq!(session.next().await.unwrap().0, number);
    }
    assert_eq!(session.next().await.unwrap().1["id"], 1);
    drop(session);
    // rm-str-12: an id that cannot be a header.
    let odd = json!({"jsonrpc": "2.0", "id": 2, "method": "session/load", "params": {"sessionId": "ä b"}});
    send(&lab, &id, odd).await;
    assert_eq!(connection.next().await.unwrap().1["params"]["sessionId"], "ä b");
}
