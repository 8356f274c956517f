//! Clients of MCP over HTTP: bytes out and bytes in.

use acp_proxy::{Conductor, McpBridge};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::scene::{LEGACY, MODERN, Scene, introduction, modern, notes, say};
use super::stdio::scripted_in;
use crate::common::soon;

/// A server as its declaration tells it.
pub(super) struct Server {
    pub(super) authority: String,
    pub(super) path: String,
    pub(super) authorization: String,
}

/// An answer, of which the body may still come.
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    body: BufReader<TcpStream>,
}

impl Server {
    fn of(declaration: &Value) -> Self {
        let url = declaration["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        let (authority, path) = url.split_once('/').unwrap();
        let authorization = declaration["headers"][0]["value"].as_str().unwrap().to_owned();
        Self { authority: authority.to_owned(), path: format!("/{path}"), authorization }
    }

    /// Sends a request whose headers are exactly these.
    async fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.authority).await.unwrap();
        let mut text = format!("{method} {} HTTP/1.1\r\nConnection: close\r\n", self.path);
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut body = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(soon("a head", body.read_line(&mut head)).await.unwrap(), 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body }
    }

    async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        let usual = [
            ("Host", self.authority.as_str()),
            ("Authorization", &self.authorization),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        self.send("POST", &[&usual, headers].concat(), &message.to_string()).await
    }

    async fn other(&self, method: &str, session: Option<&str>) -> Answer {
        let mut headers = vec![("Host", self.authority.as_str()), ("Authorization", &self.authorization)];
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        self.send(method, &headers, "").await
    }

    /// Sends a request of the modern era with the headers that belong to it.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.post(&headers, &request(1, method, &modern(params))).await
    }
}

impl Answer {
    async fn rest(mut self) -> String {
        let mut text = String::new();
        soon("a body", self.body.read_to_string(&mut text)).await.unwrap();
        text
    }

    async fn json(self) -> Value {
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
        serde_json::from_str(&self.rest().await).unwrap()
    }

    /// Returns the next message of a stream of events.
    async fn event(&mut self) -> Value {
        assert!(self.head.contains("content-type: text/event-stream"), "{}", self.head);
        loop {
            let mut line = String::new();
            assert_ne!(
                soon("an event", self.body.read_line(&mut line)).await.unwrap(),
                0,
                "the stream has ended"
            );
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    fn session(&self) -> String {
        let line = self.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        line.expect("a session").to_owned()
    }
}

fn request(id: i64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) async fn noted() -> (Scene, Server) {
    let conductor = Conductor::new().proxy(notes()).mcp_bridge(McpBridge::new());
    let mut scene = Scene::start(conductor, json!({"http": true})).await;
    let servers = scene.open("s").await;
    (scene, Server::of(&servers[0]))
}

/// A client of the modern era: each request stands alone.
#[tokio::test]
async fn a_modern_client_calls_a_tool() {
    let (_scene, server) = noted().await;
    let answer = server.ask("tools/call", say("hello")).await;
    assert_eq!(answer.status, 200);
    assert!(!answer.head.contains("mcp-session-id"), "{}", answer.head);
    assert_eq!(answer.json().await["result"]["content"][0]["text"], "\"hello\" in s");
    let answer = server.ask("no/such", json!({})).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.json().await["error"]["code"], -32601);
    for method in ["GET", "DELETE"] {
        assert_eq!(server.other(method, None).await.status, 405);
    }
    // Headers that disagree with the body, or are missing.
    for headers in [
        vec![],
        vec![("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "say")],
        vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list"), ("Mcp-Name", "say")],
        vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "ask")],
    ] {
        let answer = server.post(&headers, &request(1, "tools/call", &modern(say("x")))).await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.json().await["error"]["code"], -32020);
    }
}

/// A client of the legacy era has a session.
#[tokio::test]
async fn a_legacy_client_calls_a_tool() {
    let (_scene, server) = noted().await;
    let answer = server.post(&[], &request(0, "initialize", &introduction(LEGACY))).await;
    let session = answer.session();
    assert_eq!(answer.json().await["result"]["protocolVersion"], LEGACY);
    let within = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", LEGACY)];
    let told = server.post(&within, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!((told.status, told.rest().await), (202, String::new()));
    let answer = server.post(&within, &request(1, "tools/call", &say("hello"))).await;
    assert_eq!(answer.json().await["result"]["content"][0]["text"], "\"hello\" in s");
    // A question comes in the stream of the call, and its answer in a message of its own.
    let mut answer = server.post(&within, &request(2, "tools/call", &json!({"name": "ask"}))).await;
    let question = answer.event().await;
    assert_eq!(question["method"], "elicitation/create");
    let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}});
    assert_eq!(server.post(&within, &reply).await.status, 202);
    let text = answer.event().await["result"]["content"][0]["text"].clone();
    assert_eq!(text, r#"{"name":{"action":"decline"}} "one""#);
    assert_eq!(server.post(&[], &request(3, "tools/list", &json!({}))).await.status, 400, "no session");
    assert_eq!(server.other("DELETE", Some(&session)).await.status, 204);
    assert_eq!(server.post(&within, &request(4, "tools/list", &json!({}))).await.status, 404);
}

/// A session that has ended leaves nothing that runs, whether it was ended or gave way to a newer
/// one.
#[tokio::test]
async fn a_session_that_has_ended_leaves_no_task() {
    const SESSIONS: usize = 300;
    let (_scene, server) = noted().await;
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let opened = async || {
        let answer = server.post(&[], &request(0, "initialize", &introduction(LEGACY))).await;
        let session = answer.session();
        answer.rest().await;
        session
    };
    let first = opened().await;
    let before = alive();
    assert_eq!(server.other("DELETE", Some(&first)).await.status, 204);
    for _ in 0..20 {
        let session = opened().await;
        assert_eq!(server.other("DELETE", Some(&session)).await.status, 204);
    }
    let all_but = async |number: usize| {
        soon("the end of the tasks", async {
            while alive() > before + number {
                tokio::task::yield_now().await;
            }
        })
        .await;
    };
    all_but(0).await;
    for _ in 0..SESSIONS {
        opened().await;
    }
    // 256 sessions are kept.
    all_but(256).await;
}

/// The stream of a session tells that a question is withdrawn with its call.
#[tokio::test]
async fn a_question_is_withdrawn_with_its_call() {
    let (_scene, server) = noted().await;
    let session = server.post(&[], &request(0, "initialize", &introduction(LEGACY))).await.session();
    let within = [("Mcp-Session-Id", session.as_str())];
    let mut stream = server.other("GET", Some(&session)).await;
    let mut answer = server.post(&within, &request(2, "tools/call", &json!({"name": "ask"}))).await;
    let question = answer.event().await;
    let withdrawn =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
    assert_eq!(server.post(&within, &withdrawn).await.status, 202);
    let told = stream.event().await;
    assert_eq!(
        (&told["method"], &told["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
}

/// Notifications about a request come in its stream. px-cancel-01: the end of the stream withdraws
/// a request of the modern era.
#[tokio::test]
async fn notifications_and_the_end_of_a_stream() {
    let (_scene, mut proxy, servers) = scripted_in(json!({"http": true}), |conductor| conductor).await;
    let server = Server::of(&servers[0]);
    for is_answered in [true, false] {
        let script = async {
            let (outer, call) = proxy.enveloped("mcp/message").await;
            let said = json!({"serverId": 5, "requestId": call["requestId"], "method": "notifications/progress", "params": {"progress": 1}});
            proxy.envelop(None, "mcp/message", said).await;
            outer
        };
        let (outer, mut answer) = tokio::join!(script, server.ask("tools/call", say("a")));
        assert_eq!(answer.event().await["params"], json!({"progress": 1}));
        if is_answered {
            proxy.answer(&outer, json!({"result": {"n": 1}})).await;
            assert_eq!(answer.event().await["result"], json!({"n": 1}));
            assert_eq!(answer.rest().await.trim_end_matches(['\r', '\n', '0']), "");
        } else {
            drop(answer);
            let cancel = proxy.value().await;
            assert_eq!(
                (&cancel["method"], &cancel["params"]["requestId"]),
                (&json!("$/cancel_request"), &outer)
            );
        }
    }
}

/// A client of the legacy era is told of changes in a stream of its session.
#[tokio::test]
async fn a_legacy_client_is_told_of_changes() {
    let (_scene, mut proxy, servers) = scripted_in(json!({"http": true}), |conductor| conductor).await;
    let server = Server::of(&servers[0]);
    let discovered = async {
        let (outer, _) = proxy.enveloped("mcp/message").await;
        proxy.answer(&outer, json!({"result": {"capabilities": {"tools": {"listChanged": true}}}})).await;
    };
    let opening = request(0, "initialize", &introduction(LEGACY));
    let ((), answer) = tokio::join!(discovered, server.post(&[], &opening));
    let session = answer.session();
    let mut stream = server.other("GET", Some(&session)).await;
    let within = [("Mcp-Session-Id", session.as_str())];
    server.post(&within, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let (listening, listen) = proxy.enveloped("mcp/message").await;
    let news = json!({"serverId": 5, "requestId": listen["requestId"], "method": "notifications/tools/list_changed"});
    proxy.envelop(None, "mcp/message", news).await;
    assert_eq!(stream.event().await["method"], "notifications/tools/list_changed");
    assert_eq!(server.other("DELETE", Some(&session)).await.status, 204);
    assert_eq!(proxy.value().await["params"]["requestId"], listening);
}

/// The answer to `initialize` has its session in the head, however late the server is.
#[tokio::test]
async fn a_late_initialize_has_its_session() {
    let (_scene, mut proxy, servers) = scripted_in(json!({"http": true}), |conductor| conductor).await;
    let server = Server::of(&servers[0]);
    let late = async {
        let (outer, discover) = proxy.enveloped("mcp/message").await;
        assert_eq!(discover["method"], "server/discover");
        tokio::time::pause();
        tokio::time::advance(std::time::Duration::from_secs(30)).await;
        tokio::time::resume();
        // The head of an answer that does not wait leaves now.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let found = json!({"supportedVersions": [MODERN], "capabilities": {}, "serverInfo": {"name": "n", "version": "1"}});
        proxy.answer(&outer, json!({"result": found})).await;
    };
    let opening = request(0, "initialize", &introduction(LEGACY));
    let ((), answer) = tokio::join!(late, server.post(&[], &opening));
    assert!(!answer.session().is_empty());
    assert_eq!(answer.json().await["result"]["protocolVersion"], LEGACY);
}

/// Strangers are refused: by their token, and by the page that they come from.
#[tokio::test]
async fn strangers_are_refused() {
    let (mut scene, server) = noted().await;
    let other = Server::of(&scene.open("t").await[0]);
    let host = server.authority.clone();
    let port = host.rsplit(':').next().unwrap();
    let local = format!("localhost:{port}");
    let (origin, foreign) = (format!("http://{host}"), format!("http://evil.example:{port}"));
    let nearly = format!("{}x", &server.authorization[..server.authorization.len() - 1]);
    let body = request(1, "tools/list", &modern(json!({}))).to_string();
    let right = server.authorization.as_str();
    for (status, host, authorization, origin) in [
        (200, host.as_str(), Some(right), None),
        (200, &local, Some(right), Some(origin.as_str())),
        (401, &host, None, None),
        (401, &host, Some("Bearer x"), None),
        (401, &host, Some(&nearly), None),
        (401, &host, Some(&other.authorization), None),
        (403, "evil.example", Some(right), None),
        (403, "127.0.0.1:1", Some(right), None),
        (403, &host, Some(right), Some(foreign.as_str())),
        (403, &host, Some(right), Some("null")),
    ] {
        let mut headers =
            vec![("Host", host), ("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        headers.extend(origin.map(|value| ("Origin", value)));
        let answer = server.send("POST", &headers, &body).await;
        assert_eq!(answer.status, status, "{headers:?}");
        if status != 200 {
            assert_eq!(answer.rest().await, "");
        }
    }
    // A path of no server is refused like a wrong token.
    let unknown = Server {
        path: "/mcp/0".into(),
        ..Server::of(&json!({"url": format!("http://{host}/x"), "headers": [{"value": right}]}))
    };
    assert_eq!(unknown.ask("tools/list", json!({})).await.status, 401);
}

/// The port is closed with the chain, and an open stream ends with an answer.
#[tokio::test]
async fn it_ends_with_the_chain() {
    let (scene, mut proxy, servers) = scripted_in(json!({"http": true}), |conductor| conductor).await;
    let server = Server::of(&servers[0]);
    let script = async {
        let (_, call) = proxy.enveloped("mcp/message").await;
        let said = json!({"serverId": 5, "requestId": call["requestId"], "method": "notifications/progress", "params": {}});
        proxy.envelop(None, "mcp/message", said).await;
    };
    let ((), mut answer) = tokio::join!(script, server.ask("tools/call", say("a")));
    answer.event().await;
    let Scene { agent, client, serving } = scene;
    drop(agent);
    assert!(answer.event().await["error"]["message"].as_str().unwrap().contains("`n`"));
    drop((client, proxy));
    assert!(soon("the end of the chain", serving).await.unwrap().is_err());
    assert!(TcpStream::connect(&server.authority).await.is_err());
}
