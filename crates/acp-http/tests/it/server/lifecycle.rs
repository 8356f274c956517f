//! The end of connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use acp_http::server::{Grant, Options, Principal};
use acp_rpc::CancellationToken;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::lab::{INITIALIZE, Lab};
use super::websocket::upgrade;

#[tokio::test]
async fn rm_life_05_delete_ends_the_input_of_the_agent() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    // rm-life-02, rm-del-01
    let answer = lab.exchange("DELETE /acp", &[&id], "").await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    lab.until("closed").await;
    // rm-sse-08: the end of the body, and then 404.
    assert!(stream.next().await.is_none());
    assert_eq!(lab.get(&[&id]).await.answer.status, 404);
}

#[tokio::test]
async fn rm_life_03_an_idle_connection_ends() {
    // Nobody opens a first stream.
    let mut lab = Lab::start(Options::new().first_stream_time(Duration::ZERO)).await;
    let id = lab.initialize().await;
    lab.until("closed").await;
    assert_eq!(lab.get(&[&id]).await.answer.status, 404);
    // The only reader goes away.
    let mut lab = Lab::start(Options::new().idle_time(Duration::ZERO)).await;
    let id = lab.initialize().await;
    drop(lab.get(&[&id]).await);
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_life_01_each_connection_has_an_agent_of_its_own() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let lab = Lab::start_watched(Options::new(), move |_| _ = count.fetch_add(1, Ordering::Relaxed)).await;
    // Nothing but `initialize` begins a connection.
    let note = r#"{"jsonrpc":"2.0","method":"_note"}"#;
    assert_eq!(lab.post(&[], note).await.status, 400);
    assert_eq!(lab.post(&["acp-connection-id: no"], INITIALIZE).await.status, 404);
    assert_eq!(lab.exchange("GET /acp", &["accept: */*"], "").await.status, 400);
    assert_eq!(started.load(Ordering::Relaxed), 0);
    let (one, other) = (lab.initialize().await, lab.initialize().await);
    assert_ne!(one, other);
    // Their requests do not meet, though they have the same id.
    for (id, session) in [(&one, "a"), (&other, "b")] {
        let mut stream = lab.get(&[id, &format!("acp-session-id: {session}")]).await;
        let params = format!(r#"{{"sessionId":"{session}"}}"#);
        let echo = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_echo","params":{params}}}"#);
        assert_eq!(lab.post(&[id], &echo).await.status, 202);
        assert_eq!(stream.next().await.unwrap().1["result"]["session"], session);
    }
    assert_eq!(started.load(Ordering::Relaxed), 2);
    upgrade(&lab, "").await;
    assert_eq!(started.load(Ordering::Relaxed), 3);
}

/// rm-post-13: the same answer for a connection that has ended, one of another, and none.
#[tokio::test]
async fn rm_life_02_a_connection_ends_in_each_of_these_ways() {
    let echo = r#"{"jsonrpc":"2.0","id":1,"method":"_echo"}"#;
    let unknown = Lab::start(Options::new()).await.post(&["acp-connection-id: no"], echo).await.body;
    for way in ["delete", "agent", "server", "idle", "credentials", "limit"] {
        let token = CancellationToken::new();
        let granted = token.clone();
        let options = Options::new().authorize(move |parts| {
            let grant = Grant::new(Principal::new("alice"));
            Ok(if parts.headers.contains_key("x-short") { grant.revoked_by(granted.clone()) } else { grant })
        });
        let options = if way == "idle" { options.idle_time(Duration::ZERO) } else { options };
        let mut lab = Lab::start(options.message(1000)).await;
        let id = lab.initialize().await;
        let stream = lab.get(&[&id]).await;
        let end = r#"{"jsonrpc":"2.0","id":1,"method":"_end","params":{"mode":"end"}}"#;
        match way {
            "delete" => assert_eq!(lab.exchange("DELETE /acp", &[&id], "").await.status, 202),
            "agent" => assert_eq!(lab.post(&[&id], end).await.status, 202),
            "server" => lab.server.shutdown(Duration::ZERO).await,
            "idle" => drop(stream),
            // These end a WebSocket. Over HTTP they end streams, and refuse messages.
            _ => {
                let (_, mut socket) = upgrade(&lab, "x-short: 1\r\n").await;
                match way {
                    "credentials" => token.cancel(),
                    _ => socket.send(Message::text("x".repeat(1001))).await.unwrap(),
                }
                lab.until("closed").await;
                continue;
            }
        }
        lab.until("closed").await;
        for verb in ["POST", "GET", "DELETE"] {
            let body = if verb == "POST" { echo } else { "" };
            let head = [id.as_str(), "content-type: application/json"];
            let answer = lab.exchange(&format!("{verb} /acp"), &head, body).await;
            assert_eq!((answer.status, &answer.body), (404, &unknown), "{way} {verb}");
        }
    }
}

#[tokio::test]
async fn rm_life_04_a_dropped_stream_cancels_nothing() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let head = [id.as_str(), "acp-session-id: s"];
    let mut stream = lab.get(&head).await;
    let prompt = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}}"#;
    assert_eq!(lab.post(&[&id], prompt).await.status, 202);
    let mut question = stream.next().await.unwrap().1;
    while question["method"] != "session/request_permission" {
        question = stream.next().await.unwrap().1;
    }
    drop(stream);
    // The server learns of the loss at some time: until then the stream is taken.
    let mut stream = lab.get(&head).await;
    while stream.answer.status == 409 {
        stream = lab.get(&head).await;
    }
    // The turn still waits for the answer to its question.
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, question["id"]);
    assert_eq!(lab.post(&[&id], &answer).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 2);
}

/// Messages of a turn wait for a stream that is opened later.
#[tokio::test]
async fn rm_life_04_messages_wait_for_a_stream() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let params = r#"{"sessionId":"s","mode":"say","count":5}"#;
    let prompt = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{params}}}"#);
    assert_eq!(lab.post(&[&id], &prompt).await.status, 202);
    lab.until("session/prompt s").await;
    let (mut connection, mut session) = (lab.get(&[&id]).await, lab.get(&[&id, "acp-session-id: s"]).await);
    for number in 0..5 {
        assert_eq!(session.next().await.unwrap().1["params"]["number"], number);
    }
    // rm-str-05: the answer is where a stream was open when it was made.
    let (_, answer) = tokio::select! {
        answer = connection.next() => answer.unwrap(),
        answer = session.next() => answer.unwrap(),
    };
    assert_eq!(answer["id"], 2);
}

/// A client that leaves before it knows its connection.
#[tokio::test]
async fn an_agent_that_nobody_waits_for_is_ended() {
    let mut lab = Lab::start(Options::new()).await;
    let message = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"mode":"silent"}}"#;
    let length = format!("content-length: {}", message.len());
    let mut socket = super::limits::begin_post(&lab, &[], &length).await;
    tokio::io::AsyncWriteExt::write_all(&mut socket, message.as_bytes()).await.unwrap();
    lab.until("initialize ").await;
    drop(socket);
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_life_07_a_server_that_shuts_down_refuses_and_ends_all() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    lab.server.shutdown(Duration::ZERO).await;
    assert!(stream.next().await.is_none());
    lab.until("closed").await;
    let refused = lab.post(&[], INITIALIZE).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
}

#[tokio::test]
async fn rm_sse_03_a_silent_stream_gets_comments() {
    let lab = Lab::start(Options::new().keep_alive(Duration::from_millis(1))).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    for _ in 0..3 {
        assert_eq!(stream.line().await.unwrap(), ":");
    }
}
