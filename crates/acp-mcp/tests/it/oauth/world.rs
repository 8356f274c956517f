//! An MCP server that wants tokens, and two authorization servers that give them.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use super::script::Script;

type Body = UnsyncBoxBody<Bytes, Infallible>;

pub struct World {
    pub url: String,
    state: Arc<State>,
}

struct State {
    script: Mutex<Script>,
    /// The MCP server and the authorization servers.
    places: [String; 3],
    log: Mutex<Vec<String>>,
    /// The valid access tokens, and their scopes.
    tokens: Mutex<HashMap<String, String>>,
    refresh_tokens: Mutex<HashMap<String, String>>,
    minted: Mutex<usize>,
    stream: Mutex<Option<mpsc::UnboundedSender<Bytes>>>,
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap()
}

impl World {
    pub async fn start(script: Script) -> Self {
        Self::start_with(script, None).await
    }

    /// Starts the servers. With `tls`, the MCP server is reached by https.
    pub async fn start_with(script: Script, tls: Option<TlsAcceptor>) -> Self {
        let mut listeners = Vec::new();
        for _ in 0..3 {
            listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
        }
        let place = |index: usize| {
            let scheme = if index == 0 && tls.is_some() { "https" } else { "http" };
            format!("{scheme}://{}", listeners[index].local_addr().unwrap())
        };
        let state = Arc::new(State {
            script: Mutex::new(script),
            places: [place(0), place(1), place(2)],
            log: Mutex::default(),
            tokens: Mutex::default(),
            refresh_tokens: Mutex::default(),
            minted: Mutex::default(),
            stream: Mutex::default(),
        });
        for (index, listener) in listeners.into_iter().enumerate() {
            let (state, tls) = (Arc::clone(&state), tls.clone().filter(|_| index == 0));
            tokio::spawn(async move {
                loop {
                    let (socket, _) = listener.accept().await.unwrap();
                    let state = Arc::clone(&state);
                    let service = service_fn(move |request| answer(Arc::clone(&state), index, request));
                    let http = http1::Builder::new();
                    let Some(tls) = tls.clone() else {
                        tokio::spawn(http.serve_connection(TokioIo::new(socket), service));
                        continue;
                    };
                    tokio::spawn(async move {
                        let stream = tls.accept(socket).await.unwrap();
                        let _ = http.serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        }
        Self { url: format!("{}/mcp", state.places[0]), state }
    }

    pub fn change(&self, change: impl FnOnce(&mut Script)) {
        change(&mut lock(&self.state.script));
    }

    /// Returns the issuer of an authorization server, 1 or 2.
    pub fn issuer(&self, index: usize) -> String {
        format!("{}{}", self.state.places[index], lock(&self.state.script).issuer_path)
    }

    /// Makes all access tokens invalid. Refresh tokens stay valid.
    pub fn end_tokens(&self) {
        lock(&self.state.tokens).clear();
    }

    /// Makes all tokens invalid.
    pub fn end_all(&self) {
        self.end_tokens();
        lock(&self.state.refresh_tokens).clear();
    }

    /// Returns the requests to the servers, in order, since the last call of this.
    pub fn log(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state.log))
    }

    /// Returns every secret that was made.
    pub fn secrets(&self) -> Vec<String> {
        let minted = *lock(&self.state.minted);
        let kinds = ["access", "refresh", "code", "secret"];
        (1..=minted).flat_map(|number| kinds.map(|kind| format!("{kind}-{number}-"))).collect()
    }
}

struct Asked {
    verb: String,
    path: String,
    headers: HeaderMap,
    /// The parameters of the address, or of a form.
    fields: HashMap<String, String>,
    body: Value,
}

async fn answer(
    state: Arc<State>,
    index: usize,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&body).into_owned();
    let is_form =
        head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "application/x-www-form-urlencoded");
    let fields = if is_form { text.clone() } else { head.uri.query().unwrap_or_default().to_owned() };
    let fields = reqwest::Url::parse(&format!("http://x/?{fields}")).unwrap();
    let asked = Asked {
        verb: head.method.to_string(),
        path: head.uri.path().to_owned(),
        headers: head.headers,
        fields: fields.query_pairs().into_owned().collect(),
        body: serde_json::from_str(&text).unwrap_or_default(),
    };
    let script = lock(&state.script).clone();
    Ok(if index == 0 { state.resource(&script, &asked) } else { state.authorization(&script, index, &asked) })
}

impl State {
    fn note(&self, line: String) {
        lock(&self.log).push(line);
    }

    /// Makes a secret with an end of its own, so that one is not found in another.
    fn mint(&self, kind: &str) -> String {
        let mut minted = lock(&self.minted);
        *minted += 1;
        format!("{kind}-{minted}-x")
    }

    fn authorization(&self, script: &Script, index: usize, asked: &Asked) -> Response<Body> {
        let place = &self.places[index];
        let issuer = format!("{place}{}", script.issuer_path);
        let field = |name: &str| asked.fields.get(name).cloned().unwrap_or_default();
        match asked.path.as_str() {
            path if path == script.metadata_path => {
                let metadata = json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{place}/authorize"),
                    "token_endpoint": format!("{place}/token"),
                    "registration_endpoint": format!("{place}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                });
                json_of(200, &merged(metadata, &script.metadata))
            }
            "/register" => {
                let name = asked.body["client_name"].as_str().unwrap_or_default();
                self.note(format!("{index} register {name}"));
                let client = json!({ "client_id": format!("client-of-{index}"), "redirect_uris": asked.body["redirect_uris"] });
                let mut client = merged(client, &script.registration);
                if client["client_secret"] == true {
                    client["client_secret"] = self.mint("secret").into();
                }
                json_of(if client["error"].is_null() { 201 } else { 400 }, &client)
            }
            "/authorize" => {
                assert_eq!(field("code_challenge_method"), "S256");
                assert_eq!(field("response_type"), "code");
                assert_eq!(field("resource"), format!("{}/mcp", self.places[0]));
                assert!(field("code_challenge").len() >= 43);
                self.note(
                    format!("{index} authorize {} {}", field("client_id"), field("scope"))
                        .trim_end()
                        .to_owned(),
                );
                let mut back = reqwest::Url::parse(&field("redirect_uri")).unwrap();
                back.query_pairs_mut().append_pair("state", &field("state"));
                match script.redirect.split_once('=') {
                    Some(("error", error)) => back.query_pairs_mut().append_pair("error", error),
                    _ => back.query_pairs_mut().append_pair("code", &self.code(&field("scope"))),
                };
                match script.redirect {
                    "iss=right" => back.query_pairs_mut().append_pair("iss", &issuer),
                    "iss=wrong" => back.query_pairs_mut().append_pair("iss", "https://evil.example"),
                    _ => back.query_pairs_mut().append_pair("unknown", ""),
                };
                let response = Response::builder().status(302).header(LOCATION, back.as_str());
                response.body(Full::default().boxed_unsync()).unwrap()
            }
            "/token" => self.token(script, index, asked),
            _ => plain(404),
        }
    }

    /// Makes a code that contains its own scope.
    fn code(&self, scope: &str) -> String {
        format!("{} {scope}", self.mint("code"))
    }

    fn token(&self, script: &Script, index: usize, asked: &Asked) -> Response<Body> {
        let field = |name: &str| asked.fields.get(name).cloned().unwrap_or_default();
        let how = match (asked.headers.get(AUTHORIZATION), field("client_secret")) {
            (Some(_), _) => "basic",
            (None, secret) if secret.is_empty() => "none",
            (None, _) => "post",
        };
        let grant = field("grant_type");
        self.note(format!("{index} token {grant} {} {how}", field("client_id")));
        assert_eq!(field("resource"), format!("{}/mcp", self.places[0]));
        let scope = if grant == "refresh_token" {
            if let Some(status) = script.refresh_status {
                return plain(status);
            }
            // It is valid once.
            match lock(&self.refresh_tokens).remove(&field("refresh_token")) {
                Some(scope) => scope,
                None => {
                    return json_of(
                        400,
                        &json!({ "error": "invalid_grant", "error_description": field("refresh_token") }),
                    );
                }
            }
        } else {
            assert!(!field("code_verifier").is_empty());
            field("code").split_once(' ').unwrap().1.to_owned()
        };
        let (access, refresh) = (self.mint("access"), self.mint("refresh"));
        lock(&self.refresh_tokens).insert(refresh.clone(), scope.clone());
        let scope = if scope.is_empty() { Value::Null } else { scope.into() };
        let token = json!({ "access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh, "scope": scope });
        let mut token = merged(token, &script.token);
        lock(&self.tokens).insert(access, token["scope"].as_str().unwrap_or_default().to_owned());
        if token["error_description"] == true {
            token["error_description"] = field("code").into();
        }
        json_of(if token["error"].is_null() { 200 } else { 400 }, &token)
    }

    fn resource(&self, script: &Script, asked: &Asked) -> Response<Body> {
        let place = &self.places[0];
        if asked.path == script.resource_path {
            let issuer = format!("{}{}", self.places[script.issuer + 1], script.issuer_path);
            let metadata = json!({ "resource": format!("{place}/mcp"), "authorization_servers": [issuer] });
            return json_of(200, &merged(metadata, &script.resource));
        }
        if asked.path != "/mcp" && asked.path != "/messages" {
            return plain(404);
        }
        let method = asked.body["method"].as_str().unwrap_or(&asked.verb);
        let bearer = asked.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
        let token = bearer.as_deref().and_then(|bearer| bearer.strip_prefix("Bearer "));
        let scope =
            token.and_then(|token| lock(&self.tokens).get(token).cloned()).filter(|_| !script.takes_none);
        let pointer = if script.points {
            format!(", resource_metadata=\"{place}{}\"", script.resource_path)
        } else {
            String::new()
        };
        let Some(scope) = scope else {
            self.note(format!("{method} 401"));
            let scope = script.scope.map(|scope| format!(", scope=\"{scope}\"")).unwrap_or_default();
            return refusal(401, &format!("Bearer realm=\"x\"{scope}{pointer}"));
        };
        if let Some(needed) = script.call_needs.filter(|_| method == "tools/call") {
            let needed = if script.insatiable {
                format!("{needed}-{}", lock(&self.minted))
            } else {
                needed.to_owned()
            };
            if script.insatiable || script.is_forgetful || !scope.split(' ').any(|granted| granted == needed)
            {
                self.note(format!("{method} 403"));
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"{pointer}");
                return refusal(403, &challenge);
            }
        }
        self.note(method.to_owned());
        if script.is_sse { self.old(asked) } else { json_of(200, &result(&asked.body)) }
    }

    /// Answers as a server of 2024-11-05.
    fn old(&self, asked: &Asked) -> Response<Body> {
        if asked.verb == "GET" {
            let (sender, receiver) = mpsc::unbounded_channel::<Bytes>();
            sender.send("event: endpoint\ndata: /messages\n\n".into()).unwrap();
            *lock(&self.stream) = Some(sender);
            let frames =
                stream::unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)));
            let body = StreamBody::new(frames.map(|bytes| Ok(Frame::data(bytes)))).boxed_unsync();
            return Response::builder().header(CONTENT_TYPE, "text/event-stream").body(body).unwrap();
        }
        if !asked.body["id"].is_null() {
            let event = format!("data: {}\n\n", result(&asked.body));
            lock(&self.stream).as_ref().unwrap().send(event.into()).unwrap();
        }
        plain(202)
    }
}

fn merged(mut value: Value, changes: &Value) -> Value {
    for (name, change) in changes.as_object().unwrap() {
        value[name] = change.clone();
    }
    value.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    value
}

fn result(body: &Value) -> Value {
    let result = match body["method"].as_str().unwrap_or_default() {
        "initialize" => {
            json!({ "protocolVersion": "2024-11-05", "capabilities": { "tools": {} }, "serverInfo": { "name": "s", "version": "1" } })
        }
        "server/discover" => {
            json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private", "capabilities": { "tools": {} } })
        }
        "tools/list" => {
            json!({ "resultType": "complete", "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }], "ttlMs": 0, "cacheScope": "private" })
        }
        _ => json!({ "content": [{ "type": "text", "text": "done" }] }),
    };
    json!({ "jsonrpc": "2.0", "id": body["id"], "result": result })
}

fn json_of(status: u16, value: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(value.to_string())).boxed_unsync();
    Response::builder().status(status).header(CONTENT_TYPE, "application/json").body(body).unwrap()
}

fn plain(status: u16) -> Response<Body> {
    Response::builder().status(status).body(Full::default().boxed_unsync()).unwrap()
}

fn refusal(status: u16, challenge: &str) -> Response<Body> {
    let response = Response::builder().status(status).header(WWW_AUTHENTICATE, challenge);
    response.body(Full::default().boxed_unsync()).unwrap()
}
