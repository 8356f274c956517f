//! A server under test, and requests as bytes.

use std::time::{Duration, UNIX_EPOCH};

use acp_inspect::{Inspector, Source, Store};
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server that is running, and the cookie of a browser that was let in.
pub(crate) struct Page {
    pub(crate) store: Store,
    pub(crate) host: String,
    pub(crate) token: String,
    pub(crate) cookie: String,
}

/// An answer of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }
}

impl Page {
    /// Starts a server that nobody is logged in to.
    pub(crate) async fn closed(store: Store) -> Self {
        Self::of(store, Source::Live, "test").await
    }

    /// Starts a server about a source with a name.
    pub(crate) async fn of(store: Store, source: Source, name: &str) -> Self {
        let address = ([127, 0, 0, 1], 0).into();
        let inspector = Inspector::listen(address, store.clone(), source, name).await.expect("a port");
        Self::serve(inspector, store)
    }

    fn serve(inspector: Inspector, store: Store) -> Self {
        let host = inspector.address().to_string();
        let (_, token) =
            inspector.url().split_once("#token=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        tokio::spawn(inspector.serve());
        Self { store, host, token, cookie: String::new() }
    }

    /// Starts a server and logs in.
    pub(crate) async fn open(store: Store) -> Self {
        Self::closed(store).await.let_in().await
    }

    /// Serves by an inspector, and logs in.
    pub(crate) async fn log_in(inspector: Inspector, store: Store) -> Self {
        Self::serve(inspector, store).let_in().await
    }

    async fn let_in(mut self) -> Self {
        let answer = self.login(&self.token).await;
        assert_eq!(answer.status, 204, "{answer:?}");
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        self.cookie = cookie.split(';').next().unwrap().to_owned();
        self
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        let (host, cookie, length) = (&self.host, &self.cookie, body.len());
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n");
        self.send(&format!("{head}Content-Length: {length}\r\n"), body).await
    }

    pub(crate) async fn login(&self, token: &str) -> Answer {
        let body = json!({"token": token}).to_string();
        let head = format!("POST /login HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n", self.host);
        self.send(&format!("{head}Content-Length: {}\r\n", body.len()), &body).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let (host, cookie) = (&self.host, &self.cookie);
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n"), "").await
    }

    /// Sends the head of a request, without its last line, and a body.
    pub(crate) async fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).await.expect("it listens");
        let request = format!("{head}Connection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("it answers");
        let at = answer.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..at].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: answer[at + 4..].to_vec() }
    }
}

/// Adds a line, `micros` after the start.
pub(crate) fn add(store: &Store, micros: u64, direction: Direction, line: &[u8]) {
    let time = UNIX_EPOCH + Duration::from_secs(1_767_225_600) + Duration::from_micros(micros);
    store.append(time, direction, line).expect("it is written");
}

/// Adds a message, `micros` after the start.
pub(crate) fn say(store: &Store, micros: u64, direction: Direction, message: &Value) {
    add(store, micros, direction, message.to_string().as_bytes());
}

/// Returns a store with a session of one prompt: 9 messages.
pub(crate) fn turn(version: u64) -> Store {
    let store = Store::new().expect("a file");
    let (out, back) = (Direction::Out, Direction::In);
    let ask = |id: u64, method: &str, params: Value| json!({"jsonrpc":"2.0","id":id,"method":method,"params":params});
    let update = |update: Value| json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":update}});
    let text = |text: &str| json!({"type":"text","text":text});
    let chunk = |said: &str| update(json!({"sessionUpdate":"agent_message_chunk","content":text(said)}));
    say(
        &store,
        0,
        out,
        &ask(0, "initialize", json!({"protocolVersion":version,"clientCapabilities":{"x":1}})),
    );
    say(
        &store,
        500,
        back,
        &json!({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":version,"agentCapabilities":{}}}),
    );
    say(&store, 1000, out, &ask(1, "session/new", json!({"cwd":"/","mcpServers":[]})));
    say(&store, 1200, back, &json!({"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}));
    say(&store, 2000, out, &ask(2, "session/prompt", json!({"sessionId":"s1","prompt":[text("Hello")]})));
    say(&store, 2100, back, &chunk("Good "));
    say(&store, 2200, back, &chunk("day"));
    let diff = json!({"type":"diff","path":"/a","oldText":"x","newText":"y"});
    let tool = json!({"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","content":[diff]});
    say(&store, 2300, back, &update(tool));
    say(&store, 9000, back, &json!({"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}));
    store
}
