//! Agents as users write them, behind raw sockets.

use acp_agent::store::MemoryStore;
use acp_agent::{StopReason, ToolCall, Turn, agent};
use acp_http::server::{Options, Server};
use futures_util::SinkExt;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::lab::{INITIALIZE, Lab, soon};
use super::websocket::{Socket, close_code, next, upgrade};

/// Tells how its questions and turns end.
struct Asking {
    sessions: MemoryStore,
    told: mpsc::UnboundedSender<String>,
}

#[agent(store = self.sessions.clone())]
impl Asking {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        turn.say("asking").await?;
        let asked = turn.ask(&ToolCall::execute("make")).await;
        let _ = self.told.send(format!("asked: {}", asked.is_ok()));
        let ended = turn.say("more").await;
        let _ = self.told.send(format!("said: {}", ended.is_ok()));
        Ok(StopReason::EndTurn)
    }
}

async fn serve() -> (Lab, mpsc::UnboundedReceiver<String>) {
    let (told, heard) = mpsc::unbounded_channel();
    let sessions = MemoryStore::new(usize::MAX);
    let server = Server::new(Options::new(), move |transport, _| {
        acp_agent::serve(Asking { sessions: sessions.clone(), told: told.clone() }, transport)
    });
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    (Lab::around(server, listening), heard)
}

async fn ask(socket: &mut Socket, id: i64, method: &str, params: serde_json::Value) -> serde_json::Value {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    socket.send(Message::text(message.to_string())).await.unwrap();
    loop {
        let answer = next(socket).await;
        if answer["id"] == id && answer.get("method").is_none() {
            return answer;
        }
    }
}

/// v1-http-19: `initialize` is the first message of a WebSocket, too.
#[tokio::test]
async fn rm_ws_06_another_first_message_is_refused_and_the_socket_stays() {
    let (lab, _heard) = serve().await;
    let (_, mut socket) = upgrade(&lab, "").await;
    let new = json!({"cwd": "/work", "mcpServers": []});
    let answer = ask(&mut socket, 1, "session/new", new.clone()).await;
    assert_eq!(answer["error"]["code"], -32600);
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["result"]["protocolVersion"], 1);
    assert!(ask(&mut socket, 2, "session/new", new).await["result"]["sessionId"].is_string());
}

/// The end of a connection is like a closed stdin: questions fail, turns are cancelled, and the
/// session stays in the store.
#[tokio::test]
async fn rm_life_05_the_end_of_a_connection_cancels_its_turns() {
    let (lab, mut heard) = serve().await;
    for way in ["delete", "close", "drop"] {
        let new = json!({"jsonrpc": "2.0", "id": 1, "method": "session/new",
            "params": {"cwd": "/work", "mcpServers": []}})
        .to_string();
        let prompt = |session: &serde_json::Value| {
            let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "x"}]});
            json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": params}).to_string()
        };
        let session = if way == "delete" {
            let id = lab.initialize().await;
            let mut connection = lab.get(&[&id]).await;
            assert_eq!(lab.post(&[&id], &new).await.status, 202);
            let session = connection.next().await.unwrap().1["result"]["sessionId"].clone();
            let mut stream = lab.get(&[&id, &format!("acp-session-id: {}", session.as_str().unwrap())]).await;
            assert_eq!(lab.post(&[&id], &prompt(&session)).await.status, 202);
            while stream.next().await.unwrap().1["method"] != "session/request_permission" {}
            assert_eq!(lab.exchange("DELETE /acp", &[&id], "").await.status, 202);
            session
        } else {
            let (_, mut socket) = upgrade(&lab, "").await;
            socket.send(Message::text(INITIALIZE)).await.unwrap();
            next(&mut socket).await;
            socket.send(Message::text(new)).await.unwrap();
            let session = next(&mut socket).await["result"]["sessionId"].clone();
            socket.send(Message::text(prompt(&session))).await.unwrap();
            while next(&mut socket).await["method"] != "session/request_permission" {}
            if way == "close" {
                let (code, reason) = (CloseCode::Normal, Utf8Bytes::from_static("done"));
                socket.close(Some(CloseFrame { code, reason })).await.unwrap();
                assert_eq!(close_code(&mut socket).await, 1000);
            }
            session
        };
        for expected in ["asked: false", "said: false"] {
            assert_eq!(soon(heard.recv()).await.unwrap(), expected, "{way}");
        }
        // Another connection finds it, with what was said.
        let (_, mut socket) = upgrade(&lab, "").await;
        socket.send(Message::text(INITIALIZE)).await.unwrap();
        next(&mut socket).await;
        let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
        let load = json!({"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": params});
        socket.send(Message::text(load.to_string())).await.unwrap();
        let mut replayed = String::new();
        let mut message = next(&mut socket).await;
        while message["id"] != 3 {
            replayed.push_str(&message.to_string());
            message = next(&mut socket).await;
        }
        assert!(
            message.get("result").is_some() && replayed.contains("asking"),
            "{way}: {message} {replayed}"
        );
    }
}
