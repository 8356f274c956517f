//! Servers over HTTP that follow a script.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio_rustls::TlsAcceptor;

use crate::support::real::Real;

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Starts a server made with rmcp, and returns its address.
pub async fn real(era: &'static str) -> String {
    let service = StreamableHttpService::new(
        move || Ok(Real::new(era)),
        Arc::new(LocalSessionManager::default()),
        Default::default(),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let service = TowerToHyperService::new(service.clone());
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service));
        }
    });
    url
}

/// A request that a server has received.
#[derive(Clone)]
pub struct Exchange {
    pub verb: String,
    pub headers: HeaderMap,
    pub body: Value,
}

pub struct Scripted {
    pub url: String,
    state: Arc<State>,
}

struct State {
    mode: Mutex<String>,
    exchanges: Mutex<Vec<Exchange>>,
    hanging: Notify,
    let_go: Notify,
    /// The stream of a server of 2024-11-05.
    stream: Mutex<Option<mpsc::UnboundedSender<Bytes>>>,
    /// The number of further streams that the server refuses.
    refusals: Mutex<usize>,
}

impl Scripted {
    pub async fn start(mode: &str) -> Self {
        Self::start_with(mode, None).await
    }

    /// Starts the server over https.
    #[cfg(feature = "__tls")]
    pub async fn start_tls(mode: &str, tls: TlsAcceptor) -> Self {
        Self::start_with(mode, Some(tls)).await
    }

    async fn start_with(mode: &str, tls: Option<TlsAcceptor>) -> Self {
        let state = Arc::new(State {
            mode: Mutex::new(mode.to_owned()),
            exchanges: Mutex::default(),
            hanging: Notify::new(),
            let_go: Notify::new(),
            stream: Mutex::default(),
            refusals: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}/mcp", listener.local_addr().unwrap());
        let serving = Arc::clone(&state);
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let state = Arc::clone(&serving);
                let service = service_fn(move |request| answer(Arc::clone(&state), request));
                let http = http1::Builder::new();
                let Some(tls) = tls.clone() else {
                    tokio::spawn(http.serve_connection(TokioIo::new(socket), service));
                    continue;
                };
                tokio::spawn(async move {
                    // The client may refuse the certificate.
                    if let Ok(stream) = tls.accept(socket).await {
                        let _ = http.serve_connection(TokioIo::new(stream), service).await;
                    }
                });
            }
        });
        Self { url, state }
    }

    pub fn become_another(&self, mode: &str) {
        mode.clone_into(&mut self.state.mode.lock().unwrap());
    }

    /// Ends the stream of a server of 2024-11-05, and refuses as many after it.
    pub fn hang_up(&self, refusals: usize) {
        *self.state.refusals.lock().unwrap() = refusals;
        *self.state.stream.lock().unwrap() = None;
    }

    pub fn exchanges(&self) -> Vec<Exchange> {
        self.state.exchanges.lock().unwrap().clone()
    }

    /// Returns the methods of MCP, in order.
    pub fn methods(&self) -> Vec<String> {
        let method = |exchange: &Exchange| exchange.body["method"].as_str().map(str::to_owned);
        self.exchanges().iter().filter_map(method).collect()
    }

    /// Waits until a call hangs.
    pub async fn hanging(&self) {
        within(self.state.hanging.notified()).await;
    }

    /// Waits until the client has given up that call.
    pub async fn let_go(&self) {
        within(self.state.let_go.notified()).await;
    }
}

/// Waits for a future, and fails instead of hanging.
async fn within(event: impl Future<Output = ()>) {
    tokio::time::timeout(std::time::Duration::from_secs(60), event).await.unwrap();
}

struct Gone(Arc<State>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.let_go.notify_one();
    }
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let verb = head.method.to_string();
    let method = body["method"].as_str().unwrap_or_default().to_owned();
    let mode = state.mode.lock().unwrap().clone();
    if mode == "404 session" && verb == "GET" {
        // Time for a client that does not wait for the answer.
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }
    state.exchanges.lock().unwrap().push(Exchange {
        verb: verb.clone(),
        headers: head.headers,
        body: body.clone(),
    });
    if mode.starts_with("sse") {
        return Ok(old(&state, &mode, &verb, head.uri.path(), &body));
    }
    if mode == "404 deaf session" && verb == "GET" {
        std::future::pending::<()>().await;
    }
    if verb != "POST" {
        return Ok(plain(405, ""));
    }
    if method == "tools/call" && body["params"]["name"] == "hang" {
        let gone = Gone(Arc::clone(&state));
        state.hanging.notify_one();
        std::future::pending::<()>().await;
        drop(gone);
    }
    if mode == "silent" {
        std::future::pending::<()>().await;
    }
    Ok(match method.as_str() {
        "server/discover" => {
            let is_probe = |exchange: &&Exchange| exchange.body["method"] == "server/discover";
            let probes = state.exchanges.lock().unwrap().iter().filter(is_probe).count();
            discover(&mode, &body["id"], probes)
        }
        _ => later(&mode, &method, &body),
    })
}

fn discover(mode: &str, id: &Value, probes: usize) -> Response<Body> {
    let supported = |versions: &[&str]| json!({ "supported": versions, "requested": NEW });
    let discovered = || json!({ "resultType": "complete", "supportedVersions": [NEW], "ttlMs": 0, "cacheScope": "private", "capabilities": { "tools": {} } });
    match mode {
        "modern" => json_of(200, &result(id, discovered())),
        "events" => {
            let ping = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "" } });
            let events = format!("data: {ping}\n\ndata: {}\n\n", result(id, discovered()));
            let mut response = plain(200, &events);
            response.headers_mut().insert(CONTENT_TYPE, "text/event-stream".parse().unwrap());
            response
        }
        "400 null id" => json_of(400, &error(&Value::Null, -32000, Value::Null)),
        "400 odd id" => json_of(400, &error(&json!("server-error"), -32600, Value::Null)),
        "400 refuses-modern" => json_of(400, &error(id, -32022, supported(&[OLD]))),
        "200 lists-legacy" => {
            let mut listed = discovered();
            listed["supportedVersions"] = json!(["2025-06-18", OLD]);
            json_of(200, &result(id, listed))
        }
        "400 no-list" => json_of(400, &error(id, -32022, Value::Null)),
        "400 before-release" => json_of(400, &error(id, -32004, supported(&[OLD]))),
        "400 far-future" => json_of(400, &error(id, -32022, supported(&["2099-01-01"]))),
        "404 error" => json_of(404, &error(id, -32601, Value::Null)),
        // The second probe is answered.
        "400 bound" if probes > 1 => json_of(200, &result(id, discovered())),
        "400 needs-roots" => {
            json_of(400, &error(id, -32021, json!({ "requiredCapabilities": { "roots": {} } })))
        }
        "400 mismatch" => json_of(400, &error(id, -32020, Value::Null)),
        "200 error" => json_of(200, &error(id, -32601, Value::Null)),
        "200 empty" => json_of(200, &result(id, json!({}))),
        "503 error" => json_of(503, &error(id, -32601, Value::Null)),
        "unknown-version" | "claims-modern" => plain(400, ""),
        mode => {
            let status = mode.split(' ').next().unwrap().parse().unwrap();
            let mut response = plain(status, if mode.ends_with("html") { "<html>no</html>" } else { "" });
            if status == 302 || status == 307 {
                response.headers_mut().insert(LOCATION, "http://example.invalid/mcp".parse().unwrap());
            }
            response
        }
    }
}

fn later(mode: &str, method: &str, body: &Value) -> Response<Body> {
    let id = &body["id"];
    let is_modern = mode == "modern" || mode == "events";
    match method {
        "initialize" if is_modern => json_of(400, &error(id, -32022, json!({ "supported": [NEW] }))),
        "initialize" if mode == "unknown-version" => json_of(200, &result(id, initialized("2023-01-01"))),
        "initialize" if mode == "claims-modern" => json_of(200, &result(id, initialized(NEW))),
        "initialize" if mode == "400 bound" => {
            json_of(400, &error(id, -32022, json!({ "supported": [NEW] })))
        }
        // All other messages are refused.
        "initialize" if mode == "400 strict" && body["params"]["protocolVersion"] != OLD => {
            json_of(400, &error(id, -32602, Value::Null))
        }
        "initialize" if mode == "401" => plain(401, ""),
        "initialize" if mode.ends_with("session") => {
            let mut response = json_of(200, &result(id, initialized(OLD)));
            response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
            response
        }
        "initialize" => json_of(200, &result(id, initialized(OLD))),
        "tools/call" => match body["params"]["name"].as_str().unwrap() {
            "status-500" => plain(500, "secret"),
            "status-401" => plain_with(401, "www-authenticate", "Bearer realm=\"x\""),
            "rpc" => json_of(200, &error(id, -32603, Value::Null)),
            _ => json_of(200, &result(id, called(body))),
        },
        "tools/list" => json_of(200, &result(id, list())),
        _ => plain(202, ""),
    }
}

/// Serves as a server of 2024-11-05.
fn old(state: &State, mode: &str, verb: &str, path: &str, body: &Value) -> Response<Body> {
    if verb == "GET" {
        let mut refusals = state.refusals.lock().unwrap();
        if *refusals > 0 {
            *refusals -= 1;
            return plain(503, "");
        }
        let (sender, receiver) = mpsc::unbounded_channel::<Bytes>();
        let place =
            if mode == "sse elsewhere" { "http://example.invalid/messages" } else { "/messages?session=1" };
        sender.send(format!(": hello\n\nevent: endpoint\ndata: {place}\n\n").into()).unwrap();
        *state.stream.lock().unwrap() = Some(sender);
        let frames = stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)));
        let body = StreamBody::new(frames.map(|bytes| Ok(Frame::data(bytes)))).boxed_unsync();
        return Response::builder().header(CONTENT_TYPE, "text/event-stream").body(body).unwrap();
    }
    if path != "/messages" {
        return plain(405, "");
    }
    let id = &body["id"];
    let message = match body["method"].as_str().unwrap_or_default() {
        "initialize" => result(id, initialized("2024-11-05")),
        "tools/list" => result(id, list()),
        "tools/call" => result(id, called(body)),
        _ => return plain(202, ""),
    };
    let event = format!("event: message\ndata: {message}\n\n");
    state.stream.lock().unwrap().as_ref().unwrap().send(event.into()).unwrap();
    plain(202, "Accepted")
}

fn initialized(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } })
}

fn list() -> Value {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let tools = ["echo", "hang", "status-500", "status-401", "rpc"].map(tool);
    json!({ "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private" })
}

fn called(body: &Value) -> Value {
    json!({ "content": [{ "type": "text", "text": body["params"]["arguments"].to_string() }] })
}

fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn error(id: &Value, code: i32, data: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "scripted", "data": data } })
}

fn json_of(status: u16, message: &Value) -> Response<Body> {
    let mut response = plain(status, &message.to_string());
    response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().unwrap());
    response
}

fn plain(status: u16, text: &str) -> Response<Body> {
    let body = Full::new(Bytes::from(text.to_owned())).boxed_unsync();
    Response::builder().status(status).header(CONTENT_TYPE, "text/html").body(body).unwrap()
}

fn plain_with(status: u16, header: &'static str, value: &'static str) -> Response<Body> {
    let mut response = plain(status, "");
    response.headers_mut().insert(header, value.parse().unwrap());
    response
}
