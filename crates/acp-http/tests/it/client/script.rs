//! A server of HTTP with streams, step by step.

use acp_http::Remote;
use acp_rpc::CallError;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::peer::Connected;
use super::raw::{Asked, Server};

/// A stream of events, as chunks.
pub(crate) struct Events(TcpStream);

impl Events {
    pub(crate) async fn open(mut asked: Asked) -> Self {
        assert_eq!((asked.verb.as_str(), asked.header("accept")), ("GET", Some("text/event-stream")));
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        asked.socket.write_all(head.as_bytes()).await.unwrap();
        Self(asked.socket)
    }

    pub(crate) async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let size = format!("{:x}\r\n", bytes.len());
        self.0.write_all(&[size.as_bytes(), bytes, b"\r\n"].concat()).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.raw(format!("data: {message}\n\n")).await;
    }

    pub(crate) async fn notify(&mut self, method: &str) {
        self.send(json!({"jsonrpc": "2.0", "method": method})).await;
    }

    /// Ends the body in order. Without it the stream breaks off.
    pub(crate) async fn end(mut self) {
        self.0.write_all(b"0\r\n\r\n").await.unwrap();
    }
}

/// A client whose connection the server has begun.
pub(crate) struct Lab {
    pub(crate) server: Server,
    pub(crate) here: Connected,
    /// The stream of the connection.
    pub(crate) events: Events,
}

pub(crate) type Call = JoinHandle<Result<Value, CallError>>;

pub(crate) const JSON: &str = "content-type: application/json";

impl Lab {
    pub(crate) async fn start(change: impl Fn(Remote) -> Remote) -> Self {
        let (mut server, here, _) = Self::asked(change).await;
        let asked = server.next().await;
        assert!(asked.body.contains("initialize"), "{}", asked.body);
        initialized(asked).await;
        let asked = server.next().await;
        assert_eq!(asked.header("acp-connection-id"), Some("c1"));
        let events = Events::open(asked).await;
        Self { server, here, events }
    }

    /// A client that initializes.
    pub(crate) async fn asked(change: impl Fn(Remote) -> Remote) -> (Server, Connected, Call) {
        let server = Server::start().await;
        let remote = change(acp_http::http(format!("http://{}", server.address)));
        let here = Connected::over(remote.connect().await.unwrap());
        let call = call(&here, "initialize", json!({}));
        (server, here, call)
    }

    /// Calls a method, and returns its POST.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> (Call, Asked) {
        let call = call(&self.here, method, params);
        (call, self.post().await)
    }

    pub(crate) async fn post(&mut self) -> Asked {
        self.server.when(|asked| asked.verb == "POST").await
    }

    pub(crate) async fn get(&mut self) -> Asked {
        self.server.when(|asked| asked.verb == "GET").await
    }

    /// Opens a session, and its stream.
    pub(crate) async fn session(&mut self) -> Events {
        let (call, asked) = self.call("session/new", json!({})).await;
        let id = id(&asked);
        asked.accept().await;
        self.events.send(json!({"jsonrpc": "2.0", "id": id, "result": {"sessionId": "s1"}})).await;
        let asked = self.get().await;
        assert_eq!(asked.header("acp-session-id"), Some("s1"));
        let stream = Events::open(asked).await;
        assert_eq!(call.await.unwrap().unwrap()["sessionId"], "s1");
        stream
    }
}

pub(crate) fn call(here: &Connected, method: &str, params: Value) -> Call {
    let (peer, method) = (here.peer.clone(), method.to_owned());
    tokio::spawn(async move {
        let answer: acp_json::Value = peer.request(&method, &params).await?;
        Ok(serde_json::to_value(&answer).unwrap())
    })
}

pub(crate) fn message(asked: &Asked) -> Value {
    serde_json::from_str(&asked.body).unwrap()
}

pub(crate) fn id(asked: &Asked) -> Value {
    message(asked)["id"].clone()
}

/// Answers `initialize`.
pub(crate) async fn initialized(asked: Asked) {
    let body = json!({"jsonrpc": "2.0", "id": id(&asked), "result": {"protocolVersion": 1}}).to_string();
    asked.answer("200 OK", &[JSON, "acp-connection-id: c1", "set-cookie: replica=b; Path=/"], &body).await;
}

impl Asked {
    pub(crate) async fn accept(self) {
        self.answer("202 Accepted", &[], "").await;
    }
}
