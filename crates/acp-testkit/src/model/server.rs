//! The server on loopback.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::sleep;

use super::answer::Plan;
use super::api::Api;
use super::conversation::Conversation;
use super::event::Head;
use super::profile::Profile;
use super::reply::{Reply, events};

/// The largest request that is read, in bytes.
const MAX_REQUEST: usize = 256 * 1024 * 1024;
/// The time until the next connection is taken, if the system refuses one.
const PAUSE: Duration = Duration::from_millis(100);
/// The models that a list names.
const MODELS: [&str; 4] = ["stub-model", "gpt-5.5", "claude-sonnet-4-5", "gemini-2.5-pro"];

/// A model server on loopback, which follows the directives in prompts. It ends with its
/// connections when it is dropped.
#[derive(Debug)]
pub struct ModelStub {
    url: String,
    serving: AbortHandle,
}

impl ModelStub {
    /// Starts a server on a free port of the loopback device. The profile has the names of the
    /// tools that directives call. A tokio runtime with I/O and time enabled must be there.
    ///
    /// # Errors
    /// Fails if no port can be opened.
    pub async fn start(profile: &Profile) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let stub = Arc::new(Stub { profile: profile.clone(), answers: AtomicU64::new(0) });
        let serving = tokio::spawn(serve(listener, stub)).abort_handle();
        Ok(Self { url, serving })
    }

    /// Returns its address, without a path: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for ModelStub {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

struct Stub {
    profile: Profile,
    /// The number of answers and calls so far, which makes their ids.
    answers: AtomicU64,
}

async fn serve(listener: TcpListener, stub: Arc<Stub>) {
    // They end when this is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // Such as too many open files, of which some may be closed soon.
                    sleep(PAUSE).await;
                    continue;
                };
                let stub = Arc::clone(&stub);
                let answer = service_fn(move |request| Arc::clone(&stub).answer(request));
                connections.spawn(async move {
                    // An agent may leave at any time.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

impl Stub {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Reply>, Infallible> {
        let path = request.uri().path().to_owned();
        if request.method() != Method::POST {
            return Ok(whole(StatusCode::OK, &models(&path)));
        }
        let Ok(body) = Limited::new(request.into_body(), MAX_REQUEST).collect().await else {
            return Ok(error(StatusCode::BAD_REQUEST, "the request ends too early, or never"));
        };
        if path.ends_with("/count_tokens") {
            return Ok(whole(StatusCode::OK, &json!({"input_tokens": 100})));
        }
        if path.ends_with(":countTokens") {
            return Ok(whole(StatusCode::OK, &json!({"totalTokens": 100})));
        }
        let Some((api, streams)) = Api::of_path(&path) else {
            // Such as reports of usage.
            return Ok(whole(StatusCode::OK, &json!({})));
        };
        let Ok(body) = serde_json::from_slice::<Value>(&body.to_bytes()) else {
            return Ok(error(StatusCode::BAD_REQUEST, "the request is not JSON without compression"));
        };
        let streams = streams || body.get("stream").is_some_and(|stream| stream == true);
        Ok(self.said(api, &body, streams).await)
    }

    async fn said(&self, api: Api, body: &Value, streams: bool) -> Response<Reply> {
        let conversation = Conversation::read(api, body);
        let plan = Plan::of(&conversation, &self.profile, || format!("call_stub_{}", self.next()));
        if let Some(status) = plan.error {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return error(status, "a directive asks for this error");
        }
        let usage = body.pointer("/stream_options/include_usage");
        let head = Head {
            number: self.next(),
            model: body.get("model").and_then(Value::as_str).unwrap_or("stub-model").to_owned(),
            wants_usage: usage.is_some_and(|usage| usage == true),
        };
        if !streams {
            // A client that leaves drops this.
            sleep(plan.hang.saturating_add(plan.slow)).await;
            let body = api.whole(&head, &plan);
            return if plan.drops { beginning(&body) } else { whole(StatusCode::OK, &body) };
        }
        let (sender, reply) = events();
        // It ends when nobody reads the stream.
        tokio::spawn(sender.say(plan, api.stream(head)));
        with_type(Response::new(reply), "text/event-stream")
    }

    fn next(&self) -> u64 {
        self.answers.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Returns the list of models, or one of them, in the words of all APIs at once.
fn models(path: &str) -> Value {
    let model = |id: &str| {
        json!({
            "id": id, "object": "model", "type": "model", "display_name": id, "created": 0,
            "created_at": "2025-01-01T00:00:00Z", "owned_by": "stub", "name": format!("models/{id}"),
            "displayName": id, "inputTokenLimit": 100_000, "outputTokenLimit": 8000,
            "supportedGenerationMethods": ["generateContent"],
        })
    };
    match path.rsplit_once("/models") {
        Some((_, "")) => {
            let models: Vec<_> = MODELS.into_iter().map(model).collect();
            json!({"object": "list", "has_more": false, "data": models, "models": models})
        }
        Some((_, id)) => model(id.trim_start_matches('/')),
        None => json!({}),
    }
}

fn error(status: StatusCode, message: &str) -> Response<Reply> {
    let error = json!({"type": "stub_error", "code": status.as_u16(), "status": "STUB", "message": message});
    whole(status, &json!({"type": "error", "error": error}))
}

fn whole(status: StatusCode, body: &Value) -> Response<Reply> {
    let mut response = Response::new(Reply::Whole(Some(body.to_string().into())));
    *response.status_mut() = status;
    with_type(response, "application/json")
}

fn beginning(body: &Value) -> Response<Reply> {
    let mut bytes = body.to_string().into_bytes();
    bytes.truncate(bytes.len() / 2);
    with_type(Response::new(Reply::Cut(Some(bytes.into()))), "application/json")
}

fn with_type(mut response: Response<Reply>, kind: &'static str) -> Response<Reply> {
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
