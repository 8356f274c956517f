//! A server with an agent of these tests, and clients of raw bytes.

mod agent;
mod answer;

use std::net::SocketAddr;
use std::time::Duration;

use acp_http::server::{Listening, Options, Remote, Server};
use acp_rpc::{CancellationToken, connect};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use self::agent::Agent;
pub(crate) use self::answer::Answer;

const GUARD: Duration = Duration::from_secs(60);
pub(crate) const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;

/// Awaits something that must not take long.
pub(crate) async fn soon<F: Future>(future: F) -> F::Output {
    timeout(GUARD, future).await.expect("waited in vain")
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
        Self::start_watched(options, |_| {}).await
    }

    /// Starts a server that shows the other end of each connection.
    pub(crate) async fn start_watched(
        options: Options,
        watch: impl Fn(&Remote) + Send + Sync + 'static,
    ) -> Self {
        Self::start_with(options, watch, acp_rpc::Options::default).await
    }

    pub(crate) async fn start_with(
        options: Options,
        watch: impl Fn(&Remote) + Send + Sync + 'static,
        limits: impl Fn() -> acp_rpc::Options + Send + Sync + 'static,
    ) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let server = Server::new(options, move |transport, remote: Remote| {
            watch(&remote);
            let end = CancellationToken::new();
            let agent = Agent(sender.clone(), end.clone());
            let driver = connect(transport, agent, limits()).1;
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

    /// Tests another server, whose agents tell nothing.
    pub(crate) fn around(server: Server, listening: Listening) -> Self {
        Self { server, listening, events: mpsc::unbounded_channel().1 }
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
        let socket = TcpStream::connect(self.address()).await.unwrap();
        self.exchange_over(socket, line, head, body).await
    }

    /// Sends a request over a socket that is open.
    pub(crate) async fn exchange_over(
        &self,
        mut socket: impl AsyncRead + AsyncWrite + Unpin,
        line: &str,
        head: &[&str],
        body: &str,
    ) -> Answer {
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
        Events { answer: Answer::of(&text), close_code: None, lines }
    }
}

/// A stream of events.
pub(crate) struct Events {
    pub(crate) answer: Answer,
    /// The code with which the connection has ended.
    pub(crate) close_code: Option<u16>,
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
            match line.strip_prefix(": close ") {
                Some(code) => self.close_code = Some(code.parse().unwrap()),
                None => assert_eq!(line, ":"),
            }
        }
    }
}
