//! The routes of the server.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, SET_COOKIE};
use hyper::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::answer::{Answer, bytes, file, json, refusal};
use super::events::events;
use super::query::{Query, decoded};
use super::{Shared, Source};
use crate::drive::Act;
use crate::{assets, view};

/// The longest body of a request, in bytes.
const MOST: usize = 4096;
/// The longest act, in bytes.
const MOST_OF_ACT: usize = 1024 * 1024;
/// The time that a browser has for the body of a request. A connection holds one of few seats.
const BODY: Duration = Duration::from_secs(10);

/// Answers a request.
pub(super) async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    if let Err(says) = shared.gate.check(&request) {
        return refusal(StatusCode::FORBIDDEN, says);
    }
    let path = request.uri().path().to_owned();
    let is_read = request.method() == Method::GET;
    if path == "/login" {
        return login(shared, request).await;
    }
    let Some(path) = path.strip_prefix("/api/") else {
        return match assets::find(&path) {
            Some(_) if !is_read => refusal(StatusCode::METHOD_NOT_ALLOWED, "this is only read: use GET"),
            Some(asset) => bytes(StatusCode::OK, asset.kind, asset.bytes),
            None => missing(),
        };
    };
    if !shared.gate.knows(request.headers()) {
        return refusal(StatusCode::UNAUTHORIZED, "open the address that the program has printed");
    }
    match path {
        "act" => return act(shared, request).await,
        _ if !is_read => return refusal(StatusCode::METHOD_NOT_ALLOWED, "this is only read: use GET"),
        "events" => return events(&shared.store, shared.desk.get().is_some()),
        _ => {}
    }
    let (path, query) = (path.to_owned(), Query::read(request.uri().query()));
    let shared = Arc::clone(shared);
    // It reads the file.
    match spawn_blocking(move || read(&shared, &path, &query)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            refusal(StatusCode::INTERNAL_SERVER_ERROR, &format!("the store cannot be read: {error}"))
        }
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be answered"),
    }
}

async fn login(shared: &Shared, request: Request<Incoming>) -> Answer {
    if request.method() != Method::POST {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "use POST");
    }
    let content = match content(request, MOST, "the body is too long or not whole").await {
        Ok(content) => content,
        Err(answer) => return answer,
    };
    let value: Value = serde_json::from_slice(&content).unwrap_or_default();
    let token = value.get("token").and_then(Value::as_str).unwrap_or_default();
    let cookie = shared.gate.exchange(token).and_then(|cookie| HeaderValue::from_str(&cookie).ok());
    let Some(cookie) = cookie else {
        return refusal(StatusCode::FORBIDDEN, "the token is wrong or was used: start `acp inspect` again");
    };
    let mut answer = bytes(StatusCode::NO_CONTENT, "text/plain", "");
    answer.headers_mut().insert(SET_COOKIE, cookie);
    answer
}

/// Reads the body of a request. The error is the answer to one that is too long or too slow.
async fn content(request: Request<Incoming>, most: usize, too_long: &str) -> Result<Bytes, Answer> {
    match timeout(BODY, Limited::new(request.into_body(), most).collect()).await {
        Ok(Ok(content)) => Ok(content.to_bytes()),
        Ok(Err(_)) => Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, too_long)),
        Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, "the body was not whole within 10 seconds")),
    }
}

/// Does an act of the person.
async fn act(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    let Some(desk) = shared.desk.get().cloned() else {
        return refusal(StatusCode::NOT_FOUND, "this connection is only shown: nobody acts here");
    };
    if request.method() != Method::POST {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "use POST");
    }
    let content = match content(request, MOST_OF_ACT, "the act is longer than 1 MiB or not whole").await {
        Ok(content) => content,
        Err(answer) => return answer,
    };
    let act = match Act::read(&content) {
        Ok(act) => act,
        Err(says) => return refusal(StatusCode::BAD_REQUEST, &says),
    };
    let store = shared.store.clone();
    match spawn_blocking(move || act.perform(&desk, &store)).await {
        Ok(Ok(())) => json(StatusCode::OK, &json!({})),
        Ok(Err(says)) => refusal(StatusCode::CONFLICT, &says),
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "the act could not be done"),
    }
}

fn missing() -> Answer {
    refusal(StatusCode::NOT_FOUND, "there is nothing at this address")
}

/// Answers what is read from the store.
fn read(shared: &Shared, path: &str, query: &Query) -> io::Result<Answer> {
    let store = &shared.store;
    let found = |value: Value| Ok(json(StatusCode::OK, &value));
    let or_missing =
        |value: Option<Value>| Ok(value.map_or_else(missing, |value| json(StatusCode::OK, &value)));
    let (from, to) = (query.number("from").unwrap_or(1), query.number("to").unwrap_or(u64::MAX));
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    match (first, rest) {
        ("state", "") => found(state(shared)),
        ("rows", "") => {
            let filter = query.filter();
            found(view::rows(store, query.page(), query.limit(), &filter, query.is_set("fold"))?)
        }
        ("messages", rest) => match rest.strip_suffix("/raw") {
            Some(seq) => Ok(raw(shared, seq)?.unwrap_or_else(missing)),
            None => match rest.parse() {
                Ok(seq) => or_missing(view::message(store, seq)?),
                Err(_) => Ok(missing()),
            },
        },
        ("asks", seq) => match seq.parse() {
            Ok(seq) => or_missing(view::question(store, seq)?),
            Err(_) => Ok(missing()),
        },
        ("statistics", "") => found(view::statistics(store)),
        ("overview", "") => found(view::overview(store, query.parts())),
        ("sessions", "") => found(view::sessions(store)),
        ("sessions", session) => {
            let after = query.number("after").unwrap_or_default();
            found(view::transcript(store, &decoded(session), after, query.limit())?)
        }
        ("capabilities", "") => found(view::capabilities(store)?),
        ("sequence.svg", "") => {
            let svg = view::sequence(store, from, to, query.is_set("fold"));
            Ok(bytes(StatusCode::OK, "image/svg+xml", svg))
        }
        ("compare", "") => match (query.number("left"), query.number("right")) {
            (Some(left), Some(right)) => or_missing(view::compare(store, left, right)?),
            _ => Ok(refusal(StatusCode::BAD_REQUEST, "`left` and `right` must be numbers of messages")),
        },
        ("export", "") => export(shared, query, from, to),
        _ => Ok(missing()),
    }
}

fn raw(shared: &Shared, seq: &str) -> io::Result<Option<Answer>> {
    let Ok(seq) = seq.parse::<u64>() else { return Ok(None) };
    let line = view::raw(&shared.store, seq)?;
    Ok(line.map(|line| file(&format!("message-{seq}.json"), "text/plain; charset=utf-8", line)))
}

fn export(shared: &Shared, query: &Query, from: u64, to: u64) -> io::Result<Answer> {
    let (form, name, kind) = match query.text("kind") {
        Some("redacted") => (view::Form::Redacted, "redacted.ndjson", "application/x-ndjson"),
        Some("mock") => (view::Form::Mock, "mock.toml", "application/toml"),
        _ => return Ok(refusal(StatusCode::BAD_REQUEST, "`kind` must be redacted or mock")),
    };
    Ok(match view::export(&shared.store, form, from, to)? {
        Ok(content) => file(name, kind, content),
        Err(says) => refusal(StatusCode::UNPROCESSABLE_ENTITY, &says),
    })
}

fn state(shared: &Shared) -> Value {
    let seen = shared.store.seen();
    json!({
        "source": match shared.source { Source::Live => "live", Source::Recording => "recording" },
        "name": shared.name,
        "messages": seen.messages,
        "lost": seen.lost,
        "ended": seen.ended,
        "acts": shared.desk.get().is_some(),
        "lanes": shared.store.lock().lanes(),
        "version": shared.store.lock().version,
    })
}
