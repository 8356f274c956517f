//! rm-life-07: a server that shuts down lets turns of version 2 end, which outlast their answers.

use std::time::Duration;

use acp_http::server::Options;
use futures_util::SinkExt as _;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::lab::{Events, Lab, soon};
use super::websocket::{Socket, close_code, next, upgrade};

/// A client of one connection.
enum Client {
    WebSocket(Box<Socket>),
    /// The line that names the connection, and its stream.
    Http(String, Events),
}

/// An end of the turn.
#[derive(Clone, Copy, Debug)]
enum End {
    Idle,
    Closed,
}

fn request(id: i32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Lets the agent tell a state.
fn tell(state: &str) -> String {
    let update = json!({"sessionUpdate": "state_update", "state": state});
    let inner = json!({"sessionId": "s", "update": update});
    request(3, "_emit", &json!({"of": "session/update", "inner": inner}))
}

impl Client {
    async fn connect(lab: &Lab, way: usize, version: i32) -> Self {
        let initialize = request(0, "initialize", &json!({"protocolVersion": version}));
        if way == 0 {
            let (_, mut socket) = upgrade(lab, "").await;
            socket.send(Message::text(initialize)).await.unwrap();
            assert_eq!(next(&mut socket).await["result"]["protocolVersion"], version);
            return Self::WebSocket(Box::new(socket));
        }
        let answer = lab.post(&[], &initialize).await;
        let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
        // All messages come on this one, because the session has no stream of its own.
        let events = lab.get(&[&id]).await;
        Self::Http(id, events)
    }

    /// Sends a request, and waits for its answer.
    async fn ask(&mut self, lab: &Lab, message: &str) {
        match self {
            Self::WebSocket(socket) => {
                socket.send(Message::text(message)).await.unwrap();
                while next(socket).await["result"].is_null() {}
            }
            Self::Http(id, events) => {
                assert_eq!(lab.post(&[id], message).await.status, 202);
                while events.next().await.unwrap().1["result"].is_null() {}
            }
        }
    }

    async fn ended(mut self) {
        match &mut self {
            Self::WebSocket(socket) => assert_eq!(close_code(socket).await, 1001),
            Self::Http(_, events) => {
                while events.next().await.is_some() {}
                assert_eq!(events.close_code, Some(1001));
            }
        }
    }
}

async fn shuts_down(way: usize, version: i32, end: Option<End>) {
    let lab = Lab::start(Options::new().health("/health".to_owned())).await;
    let mut client = Client::connect(&lab, way, version).await;
    let prompt = json!({"sessionId": "s", "mode": "say", "count": 0, "size": 0});
    client.ask(&lab, &request(1, "session/prompt", &prompt)).await;
    let server = lab.server.clone();
    let shutdown = tokio::spawn(async move { server.shutdown(Duration::MAX).await });
    while lab.exchange("GET /health", &[], "").await.status != 503 {}
    match end {
        None => {}
        Some(end) => {
            for state in ["running", "requires_action", "running", "_resting"] {
                client.ask(&lab, &tell(state)).await;
            }
            assert!(!shutdown.is_finished(), "{way} {end:?}");
            let last = match end {
                End::Idle => tell("idle"),
                End::Closed => request(4, "session/close", &json!({"sessionId": "s"})),
            };
            client.ask(&lab, &last).await;
        }
    }
    client.ended().await;
    soon(shutdown).await.unwrap();
}

#[tokio::test]
async fn rm_life_07_a_turn_of_version_2_has_time_after_its_answer() {
    for way in 0..2 {
        for end in [End::Idle, End::Closed] {
            shuts_down(way, 2, Some(end)).await;
        }
    }
}

#[tokio::test]
async fn rm_life_07_a_turn_of_version_1_has_none() {
    for way in 0..2 {
        shuts_down(way, 1, None).await;
    }
}

/// A turn that does not end is ended.
#[tokio::test]
async fn rm_life_07_a_turn_of_version_2_without_an_end_is_ended() {
    for way in 0..2 {
        let mut lab = Lab::start(Options::new()).await;
        let mut client = Client::connect(&lab, way, 2).await;
        client.ask(&lab, &tell("running")).await;
        let server = lab.server.clone();
        let shutdown = tokio::spawn(async move { server.shutdown(Duration::from_millis(1)).await });
        lab.until("closed").await;
        client.ended().await;
        soon(shutdown).await.unwrap();
    }
}
