//! The server at an address: streamable HTTP.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedSender};

use super::fake::{Fake, Say};

type Body = UnsyncBoxBody<Bytes, Infallible>;

pub struct Site {
    pub url: String,
    state: Mutex<State>,
    /// The number of open requests for the versions, now and at most.
    opening: AtomicUsize,
    pub most_opening: AtomicUsize,
}

struct State {
    fake: Fake,
    log: Vec<(Value, HeaderMap)>,
    /// The stream of a legacy session, and those of modern listeners.
    session: Option<UnboundedSender<Value>>,
    listeners: Vec<(Value, UnboundedSender<Value>)>,
    /// True if the next listener is refused.
    is_away: bool,
}

impl Site {
    pub async fn start(config: Value) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (log, listeners) = (Vec::new(), Vec::new());
        let state = State { fake: Fake::new(config, 1), log, session: None, listeners, is_away: false };
        let site = Arc::new(Self {
            url: format!("http://{}/mcp", listener.local_addr().unwrap()),
            state: Mutex::new(state),
            opening: AtomicUsize::new(0),
            most_opening: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&site);
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let site = Arc::clone(&serving);
                let service = service_fn(move |request| Arc::clone(&site).answer(request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), service));
            }
        });
        site
    }

    pub fn messages(&self) -> Vec<Value> {
        self.state.lock().unwrap().log.iter().map(|(message, _)| message.clone()).collect()
    }

    /// Refuses the next listener.
    pub fn be_away(&self) {
        self.state.lock().unwrap().is_away = true;
    }

    /// Returns the headers of the last message of a method.
    pub fn headers(&self, method: &str) -> HeaderMap {
        let state = self.state.lock().unwrap();
        let is_it = |(message, _): &&(Value, HeaderMap)| message["method"] == method;
        state.log.iter().rev().find(is_it).unwrap().1.clone()
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        match head.method.as_str() {
            "GET" => return Ok(self.open_session(&head.headers)),
            "POST" => {}
            _ => return Ok(plain(200)),
        }
        let message: Value = serde_json::from_slice(&body).unwrap();
        if message["method"] == "server/discover" {
            let now = self.opening.fetch_add(1, Ordering::SeqCst) + 1;
            self.most_opening.fetch_max(now, Ordering::SeqCst);
            // Time for other requests to arrive.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            self.opening.fetch_sub(1, Ordering::SeqCst);
        }
        let hangs = message["params"]["name"] == "hang";
        let response = self.on(message.clone(), head.headers);
        if hangs {
            let _closed = Closed { site: self, id: message["id"].clone() };
            std::future::pending::<()>().await;
        }
        Ok(response)
    }

    fn on(self: &Arc<Self>, message: Value, headers: HeaderMap) -> Response<Body> {
        let mut state = self.state.lock().unwrap();
        let session = format!("s{}", state.fake.connection);
        let named = headers.get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        state.log.push((message.clone(), headers));
        if named.is_some_and(|named| named != session) {
            return plain(404);
        }
        let mut response = None;
        if message["method"] == "subscriptions/listen" && std::mem::take(&mut state.is_away) {
            return plain(503);
        }
        if message["method"] == "subscriptions/listen" {
            let (sender, response_of) = self.stream(message["id"].clone());
            state.listeners.push((message["id"].clone(), sender));
            response = Some(response_of);
        }
        for say in state.fake.on(&message) {
            match say {
                Say::Answer(answer) => response = Some(json_of(&answer)),
                // It is lost without a stream.
                Say::Tell(message) => drop(state.session.as_ref().map(|session| session.send(message))),
                Say::ToListener(id, message) => {
                    let listener = state.listeners.iter().rev().find(|(listener, _)| *listener == id);
                    let _ = listener.unwrap().1.send(message);
                }
                Say::Progress(token) => response = Some(busy(token)),
                Say::Break => state.listeners.clear(),
                Say::End => {
                    (state.session, state.listeners) = (None, Vec::new());
                    state.fake.forget();
                }
            }
        }
        let mut response = response.unwrap_or_else(|| plain(202));
        if message["method"] == "initialize" && !state.fake.is_modern() {
            response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
        }
        response
    }

    /// Opens the stream on which a legacy server reports.
    fn open_session(self: &Arc<Self>, headers: &HeaderMap) -> Response<Body> {
        let mut state = self.state.lock().unwrap();
        let session = format!("s{}", state.fake.connection);
        if state.fake.is_modern() || headers.get("mcp-session-id").is_none_or(|named| *named != *session) {
            return plain(405);
        }
        let (sender, response) = self.stream(Value::Null);
        state.session = Some(sender);
        response
    }

    /// Creates a stream of events, whose end is logged.
    fn stream(self: &Arc<Self>, id: Value) -> (UnboundedSender<Value>, Response<Body>) {
        let (sender, receiver) = mpsc::unbounded_channel::<Value>();
        let closed = Closed { site: Arc::clone(self), id };
        let frames = stream::unfold((receiver, closed), async |(mut receiver, closed)| {
            let event = format!("data: {}\n\n", receiver.recv().await?);
            Some((Ok(Frame::data(Bytes::from(event))), (receiver, closed)))
        });
        // The first event shows the client that the stream is open.
        let begin = stream::once(async { Ok(Frame::data(Bytes::from(": here\n\n"))) });
        let body = StreamBody::new(begin.chain(frames)).boxed_unsync();
        (sender, Response::builder().header(CONTENT_TYPE, "text/event-stream").body(body).unwrap())
    }
}

/// Logs the end of a stream when it is dropped.
struct Closed {
    site: Arc<Site>,
    id: Value,
}

impl Drop for Closed {
    fn drop(&mut self) {
        // A server that ends closes streams with the state locked.
        let (site, message) = (Arc::clone(&self.site), json!({ "method": "(closed)", "id": self.id }));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { site.state.lock().unwrap().log.push((message, HeaderMap::new())) });
        }
    }
}

/// Returns events without end.
fn busy(token: Value) -> Response<Body> {
    let events = stream::unfold(0, move |at| {
        let event = format!("data: {}\n\n", super::fake::progress(&token, at));
        async move {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            Some((Ok(Frame::data(Bytes::from(event))), at + 1))
        }
    });
    let body = StreamBody::new(events).boxed_unsync();
    Response::builder().header(CONTENT_TYPE, "text/event-stream").body(body).unwrap()
}

fn json_of(message: &Value) -> Response<Body> {
    let body = Full::new(Bytes::from(message.to_string())).boxed_unsync();
    Response::builder().header(CONTENT_TYPE, "application/json").body(body).unwrap()
}

fn plain(status: u16) -> Response<Body> {
    let body = Full::new(Bytes::new()).boxed_unsync();
    Response::builder().status(status).body(body).unwrap()
}
