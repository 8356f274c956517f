//! A server that shuts down, its health and its numbers.

use std::sync::Arc;
use std::time::Duration;

use acp_http::server::{Options, Principal, Server};
use acp_json::Node;
use acp_rpc::{Delivery, Error, Peer, Reply, Request, Service, Task};
use futures_util::SinkExt as _;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;

use super::lab::{INITIALIZE, Lab, soon};
use super::websocket::{Socket, close_code, next, upgrade};

/// Answers everything.
struct Polite;

impl Service for Polite {
    fn request(&self, _: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        Ok(Box::pin(async { Ok(Reply::new(())) }))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Done
    }
}

const PROMPT: &str = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s"}}"#;

/// A WebSocket whose agent asks within a turn, and the question's id.
async fn busy_socket(lab: &Lab) -> (Socket, serde_json::Value) {
    let mut socket = initialized(lab).await;
    socket.send(Message::text(PROMPT)).await.unwrap();
    loop {
        let message = next(&mut socket).await;
        if message["method"] == "session/request_permission" {
            return (socket, message["id"].clone());
        }
    }
}

async fn initialized(lab: &Lab) -> Socket {
    let (_, mut socket) = upgrade(lab, "").await;
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    next(&mut socket).await;
    socket
}

fn answer(id: &serde_json::Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}

#[tokio::test]
async fn rm_life_07_a_websocket_has_time_for_its_answers_and_no_more() {
    let lab = Lab::start(Options::new()).await;
    let mut idle = initialized(&lab).await;
    let (mut busy, question) = busy_socket(&lab).await;
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::MAX).await });
    assert_eq!(close_code(&mut idle).await, 1001);
    // The turn goes on, and its answer comes before the end.
    busy.send(Message::text(answer(&question))).await.unwrap();
    assert_eq!(next(&mut busy).await["id"], 2);
    assert_eq!(close_code(&mut busy).await, 1001);
    drop((idle, busy));
    soon(shutdown).await.unwrap();
}

#[tokio::test]
async fn rm_life_07_a_connection_over_http_has_time_for_its_answers_and_no_more() {
    let mut lab = Lab::start(Options::new()).await;
    let idle = lab.initialize().await;
    let mut idle_stream = lab.get(&[&idle]).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id, "acp-session-id: s"]).await;
    assert_eq!(lab.post(&[&id], PROMPT).await.status, 202);
    let mut question = stream.next().await.unwrap().1;
    while question["method"] != "session/request_permission" {
        question = stream.next().await.unwrap().1;
    }
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::MAX).await });
    assert!(idle_stream.next().await.is_none());
    lab.until("closed").await;
    assert_eq!(lab.post(&[&id], &answer(&question["id"])).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 2);
    assert!(stream.next().await.is_none());
    soon(shutdown).await.unwrap();
}

/// The answer of one request does not end the time of another.
#[tokio::test]
async fn rm_life_07_every_request_counts() {
    let lab = Lab::start(Options::new()).await;
    let (mut socket, question) = busy_socket(&lab).await;
    // Its id is text, and so is a member of its result.
    let echo = r#"{"id":"error","params":{"sessionId":"method"},"method":"_echo","jsonrpc":"2.0"}"#;
    socket.send(Message::text(echo)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], "error");
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::MAX).await });
    // A request while it ends: it is answered, too.
    socket.send(Message::text(echo)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], "error");
    socket.send(Message::text(answer(&question))).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 2);
    assert_eq!(close_code(&mut socket).await, 1001);
    drop(socket);
    soon(shutdown).await.unwrap();
}

#[tokio::test]
async fn rm_life_07_a_turn_without_an_end_is_ended() {
    for finish in [Duration::ZERO, Duration::from_millis(1)] {
        let mut lab = Lab::start(Options::new()).await;
        let (mut socket, _) = busy_socket(&lab).await;
        let server = lab.server.clone();
        let shutdown = tokio::spawn(async move { server.shutdown(finish).await });
        lab.until("closed").await;
        assert_eq!(close_code(&mut socket).await, 1001);
        drop(socket);
        soon(shutdown).await.unwrap();
    }
}

/// The listener is closed, and what was answered is written.
#[tokio::test]
async fn a_listener_that_shuts_down_waits_for_its_sockets() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    let address = lab.address();
    let Lab { listening, .. } = lab;
    soon(listening.shutdown(Duration::MAX)).await;
    assert!(stream.next().await.is_none());
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn rm_oth_02_health_ends_with_the_server() {
    let lab = Lab::start(Options::new().health("/health".to_owned())).await;
    let health = async || lab.exchange("GET /health", &[], "").await;
    assert_eq!((health().await.status, health().await.body.as_str()), (200, "ok"));
    let (mut socket, _) = busy_socket(&lab).await;
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::MAX).await });
    while health().await.status != 503 {}
    socket.close(None).await.unwrap();
    soon(shutdown).await.unwrap();
}

#[tokio::test]
async fn metrics_are_for_those_who_may_use_the_server() {
    let options = Options::new().token("secret", Principal::new("alice")).connections(1);
    let options = options.metrics("/metrics", |counts| format!("{counts:?}"));
    let lab = Lab::start(options).await;
    let token = "authorization: Bearer secret";
    let get = async |line: &str, head: &[&str]| lab.exchange(line, head, "").await;
    assert_eq!(get("GET /metrics", &[]).await.status, 401);
    assert_eq!(get("GET /metrics", &[token, "origin: https://evil.example"]).await.status, 403);
    assert_eq!(get("GET /metrics", &[token, "host: evil.example"]).await.status, 403);
    assert_eq!(get("DELETE /metrics", &[token]).await.status, 405);
    assert_eq!(get("GET /metrics/x", &[token]).await.status, 404);
    let answer = get("GET /metrics", &[token]).await;
    assert_eq!((answer.status, answer.body), (200, format!("{:?}", lab.server.counts())));
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let answer = get("GET /metrics", &[token]).await;
    assert_eq!(answer.header("content-type"), Some(kind));

    let (_, mut socket) = upgrade(&lab, &format!("{token}\r\n")).await;
    let counts = lab.server.counts();
    assert_eq!((counts.connections, counts.uninitialized, counts.opened, counts.refused), (1, 1, 1, 0));
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    next(&mut socket).await;
    assert_eq!(lab.post(&[token], INITIALIZE).await.status, 503);
    let counts = lab.server.counts();
    assert_eq!((counts.connections, counts.uninitialized, counts.opened, counts.refused), (1, 0, 1, 1));
    assert_eq!(counts.unauthorized, 1);
}

#[tokio::test]
async fn rm_ws_11_an_agent_that_fails_ends_with_another_code() {
    for (way, code) in [("report", 1011), ("panic", 1011), ("end", 1000)] {
        let server = Server::new(Options::new(), move |transport, remote| async move {
            drop(transport);
            match way {
                "report" => remote.report_failure(),
                "panic" => panic!("on purpose"),
                _ => {}
            }
        });
        let listening = server.listen("127.0.0.1:0").await.unwrap();
        let lab = Lab::around(server, listening);
        let (_, mut socket) = upgrade(&lab, "").await;
        assert_eq!(close_code(&mut socket).await, code, "{way}");
    }
}

/// rm-rec-02: over HTTP, too, a client is told if the agent has ended in order.
#[tokio::test]
async fn rm_sse_08_a_stream_ends_with_the_code_of_a_websocket() {
    for (way, code) in
        [("end", 1000), ("report", 1011), ("panic", 1011), ("delete", 1000), ("shutdown", 1001)]
    {
        let end = Arc::new(Notify::new());
        let seen = Arc::clone(&end);
        let server = Server::new(Options::new(), move |transport, remote| {
            let end = Arc::clone(&seen);
            async move {
                let (_peer, driver) = acp_rpc::connect(transport, Polite, acp_rpc::Options::default());
                tokio::select! {
                    _ = driver => {}
                    () = end.notified() => match way {
                        "report" => remote.report_failure(),
                        "panic" => panic!("on purpose"),
                        _ => {}
                    }
                }
            }
        });
        let listening = server.listen("127.0.0.1:0").await.unwrap();
        let lab = Lab::around(server, listening);
        let id = lab.initialize().await;
        let mut streams = [lab.get(&[&id]).await, lab.get(&[&id, "acp-session-id: s"]).await];
        match way {
            "delete" => assert_eq!(lab.exchange("DELETE /acp", &[&id], "").await.status, 202),
            "shutdown" => soon(lab.server.shutdown(Duration::ZERO)).await,
            _ => end.notify_one(),
        }
        for stream in &mut streams {
            assert!(stream.next().await.is_none());
            assert_eq!(stream.close_code, Some(code), "{way}");
        }
    }
}
