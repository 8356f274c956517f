//! A server with an agent of these tests, and clients of raw bytes.

use std::net::SocketAddr;
use std::time::Duration;

use acp_http::server::{Listening, Options, Remote, Server};
use acp_json::{Node, Value};
use acp_rpc::{CancellationToken, Delivery, Error, Peer, Reply, Request, Service, Task, connect};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

const GUARD: Duration = Duration::from_secs(60);
pub(crate) const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;

/// Awaits something that must not take long.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    timeout(GUARD, future).await.expect("waited in vain")
}

/// The agent: tells what happens to it.
struct Agent(mpsc::UnboundedSender<String>, CancellationToken);

impl Service for Agent {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let params: Value = acp_json::read(params).unwrap();
        let text = |name: &str| params.get(name).and_then(Node::as_str).map(str::to_owned);
        let (session, mode) = (text("sessionId").unwrap_or_default(), text("mode").unwrap_or_default());
        let _ = self.0.send(format!("{method} {session}"));
        let update = |note: &str| -> serde_json::Value {
            serde_json::json!({"sessionId": session, "update": {"note": note}})
        };
        let end = self.1.clone();
        let (one, two) = (update("one"), update("two"));
        let method = method.to_owned();
        Ok(Box::pin(async move {
            let peer = request.peer.clone();
            match (method.as_str(), mode.as_str()) {
                ("initialize", "fail") => return Err(Error::invalid_params("no")),
                ("initialize", "silent") => std::future::pending().await,
                ("initialize", "end") => {
                    // Its driver is dropped, so nothing is answered.
                    end.cancel();
                    std::future::pending().await
                }
                ("initialize", "early") => peer.notify("_early", &()).await.unwrap(),
                ("session/new", _) => return Ok(Reply::new(serde_json::json!({"sessionId": "s1"}))),
                ("session/load" | "session/prompt", _) => {
                    peer.notify("session/update", &one).await.unwrap();
                    peer.notify("session/update", &two).await.unwrap();
                    if method == "session/prompt" {
                        let _: Result<Value, _> = peer.request("session/request_permission", &one).await;
                    }
                }
                ("_flood", _) => {
                    for _ in 0..10_000 {
                        if peer.notify("session/update", &one).await.is_err() {
                            break;
                        }
                    }
                }
                _ => {}
            }
            let version = params.get("protocolVersion").and_then(Node::as_i64).unwrap_or(1);
            Ok(Reply::new(serde_json::json!({"protocolVersion": version, "session": session})))
        }))
    }

    fn notification(&self, method: &str, _: Node<'_>, _: &Peer) -> Delivery {
        let _ = self.0.send(method.to_owned());
        Delivery::Done
    }
}

/// Tells when the agent has ended, however that comes.
struct Gone(mpsc::UnboundedSender<String>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.send("closed".to_owned());
    }
}

/// A server on a port of its own.
pub(crate) struct Lab {
    pub(crate) server: Server,
    pub(crate) listening: Listening,
    pub(crate) events: mpsc::UnboundedReceiver<String>,
}

impl Lab {
    pub(crate) async fn start(options: Options) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let server = Server::new(options, move |transport, _: Remote| {
            let end = CancellationToken::new();
            let agent = Agent(sender.clone(), end.clone());
            let driver = connect(transport, agent, acp_rpc::Options::default()).1;
            let gone = Gone(sender.clone());
            async move {
                let _gone = gone;
                tokio::select! {
                    _ = driver => {}
                    () = end.cancelled() => {}
                }
            }
        });
        let listening = server.listen("127.0.0.1:0").await.unwrap();
        Self { server, listening, events }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listening.address()
    }

    /// Waits until the agent tells this.
    pub(crate) async fn until(&mut self, event: &str) {
        while soon(self.events.recv()).await.unwrap() != event {}
    }

    /// Sends a request with these lines in its head, and reads the whole answer.
    pub(crate) async fn exchange(&self, line: &str, head: &[&str], body: &str) -> Answer {
        let mut socket = TcpStream::connect(self.address()).await.unwrap();
        let length = body.len();
        let host = if head.iter().any(|line| line.starts_with("host:")) {
            String::new()
        } else {
            format!("host: {}\r\n", self.address())
        };
        let mut bytes = format!("{line} HTTP/1.1\r\n{host}connection: close\r\n");
        if length > 0 {
            bytes.push_str(&format!("content-length: {length}\r\n"));
        }
        head.iter().for_each(|line| bytes.push_str(&format!("{line}\r\n")));
        bytes.push_str(&format!("\r\n{body}"));
        socket.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A server that refuses a body may close before it has read all of it.
        let _ = soon(socket.read_to_end(&mut answer)).await;
        Answer::of(&String::from_utf8(answer).unwrap())
    }

    pub(crate) async fn post(&self, head: &[&str], body: &str) -> Answer {
        let head: Vec<&str> = head.iter().copied().chain(["content-type: application/json"]).collect();
        self.exchange("POST /acp", &head, body).await
    }

    /// Opens a connection, and returns the line that names it.
    pub(crate) async fn initialize(&self) -> String {
        let answer = self.post(&[], INITIALIZE).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap())
    }

    /// Opens a stream.
    pub(crate) async fn get(&self, head: &[&str]) -> Events {
        let mut socket = TcpStream::connect(self.address()).await.unwrap();
        let head = head.join("\r\n");
        let request = format!(
            "GET /acp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n{head}\r\n\r\n",
            self.address()
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut lines = BufReader::new(socket);
        let mut text = String::new();
        while !text.ends_with("\r\n\r\n") {
            assert_ne!(soon(lines.read_line(&mut text)).await.unwrap(), 0, "{text}");
        }
        Events { answer: Answer::of(&text), lines }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("not an answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|line| line.0 == name)
            .map(|line| line.1)
    }

    /// Returns the code of the JSON-RPC error, which has no id.
    pub(crate) fn code(&self) -> Option<i64> {
        let error: serde_json::Value = serde_json::from_str(&self.body).ok()?;
        assert!(error["id"].is_null(), "{error}");
        error["error"]["code"].as_i64()
    }
}

/// A stream of events.
pub(crate) struct Events {
    pub(crate) answer: Answer,
    lines: BufReader<TcpStream>,
}

impl Events {
    /// Reads the next line that is not the frame of a chunk.
    pub(crate) async fn line(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if soon(self.lines.read_line(&mut line)).await.unwrap_or(0) == 0 || line == "0\r\n" {
                return None;
            }
            if !line.ends_with("\r\n") && line != "\n" {
                return Some(line.trim_end().to_owned());
            }
        }
    }

    /// Reads the next event: its number and its message.
    pub(crate) async fn next(&mut self) -> Option<(u64, serde_json::Value)> {
        loop {
            let line = self.line().await?;
            if let Some(id) = line.strip_prefix("id: ") {
                let data = self.line().await.unwrap();
                let message = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                return Some((id.parse().unwrap(), message));
            }
            assert_eq!(line, ":");
        }
    }
}
