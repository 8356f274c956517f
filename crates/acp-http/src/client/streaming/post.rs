//! A message of this side as a POST.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderValue, Method};
use reqwest::Response;
use tokio::time::timeout;

use super::inbound;
use super::insist::insist;
use super::letter::Letter;
use super::sessions::Sessions;
use super::shared::Shared;
use super::stop::{Stop, StreamKey};
use super::stream::is_type;
use crate::client::error::{Error, Exchanged};
use crate::client::exchange::causes;
use crate::client::undelivered::Undelivered;
use crate::wire::head::{Head, Kind};
use crate::wire::headers::CONNECTION_ID;

/// The answer to a POST: its head, and its body if that is JSON.
pub(super) struct Posted {
    pub(super) head: http::response::Parts,
    pub(super) body: Vec<u8>,
}

/// Sends a message. A failure is that of the message, unless it ends the connection.
pub(super) async fn post(shared: &Arc<Shared>, mut letter: Letter) -> Result<(), Stop> {
    if !shared.is_initialized() {
        return match letter.method.as_deref() {
            Some("initialize") => initialize(shared, letter).await,
            _ => {
                let problem = "the first message must be `initialize`".to_owned();
                fail(shared, &letter, Undelivered::NotSent, &Error::Setup { problem }).await;
                Ok(())
            }
        };
    }
    if let (Some(_), Some(session)) = (&letter.request, &letter.session)
        && let Err(error) = Sessions::ready(shared, session).await
    {
        fail(shared, &letter, Undelivered::NotSent, &error).await;
        return Ok(());
    }
    if let Some(id) = &letter.request {
        shared.ledger().sent(id);
    }
    let mut message = std::mem::take(&mut letter.sent.message);
    if letter.must_arrive() {
        return insist(shared, &letter, message).await;
    }
    let mut repeated = letter.takes_session_up().then(|| message.clone());
    let mut named = letter.session.clone();
    loop {
        let (why, problem) = match exchange(shared, message, &named, &letter.exchanged()).await {
            Ok(posted) => match posted.head.status.as_u16() {
                200..300 => {
                    taken(shared, posted).await;
                    return Ok(());
                }
                // Some servers know a session only when it has been taken up.
                404 if named.is_some() && repeated.is_some() => {
                    (named, message) = (None, repeated.take().unwrap_or_default());
                    continue;
                }
                status => {
                    let problem = Error::Refused { exchange: letter.exchanged(), status };
                    if is_the_end(status) {
                        return Err(Stop::Failed(problem));
                    }
                    (outcome(status), problem)
                }
            },
            Err(error @ Error::Unreachable { .. }) => (Undelivered::NotSent, error),
            Err(error) => (Undelivered::OutcomeUnknown, error),
        };
        fail(shared, &letter, why, &problem).await;
        return Ok(());
    }
}

/// Returns true if a status says that the connection is over.
pub(super) const fn is_the_end(status: u16) -> bool {
    matches!(status, 401 | 403 | 404 | 410)
}

/// Hands over the body of an answer, if it is a message.
pub(super) async fn taken(shared: &Arc<Shared>, posted: Posted) {
    if !posted.body.trim_ascii().is_empty() {
        inbound::received(shared, posted.body, &None).await;
    }
}

/// Begins the connection.
async fn initialize(shared: &Arc<Shared>, mut letter: Letter) -> Result<(), Stop> {
    let what = letter.exchanged();
    let unexpected = |problem| Stop::Failed(Error::Unexpected { exchange: what.clone(), problem });
    let message = std::mem::take(&mut letter.sent.message);
    let posted = exchange(shared, message, &None, &what).await.map_err(Stop::Failed)?;
    match posted.head.status.as_u16() {
        200 => {}
        202..300 => return Err(unexpected("its status is not 200")),
        status => return Err(Stop::Failed(Error::Refused { exchange: what, status })),
    }
    if !is_json(&posted.head.headers) {
        return Err(unexpected("its body is not JSON"));
    }
    let Ok(Head { kind: Kind::Answer { id: Some(id), is_error }, .. }) = Head::read(&posted.body) else {
        return Err(unexpected("its body is not an answer"));
    };
    shared.ledger().answered(&id);
    if is_error {
        shared.inbox.put(posted.body).await;
        return Err(Stop::Over(None));
    }
    let Some(connection) = posted.head.headers.get(CONNECTION_ID) else {
        return Err(unexpected("it has no `Acp-Connection-Id`"));
    };
    shared.initialized(connection.clone());
    // The peer sends more as soon as it has this answer, so its stream comes first.
    Sessions::open(shared, &None, Some(posted.body));
    Ok(())
}

pub(super) async fn exchange(
    shared: &Shared,
    message: Vec<u8>,
    session: &StreamKey,
    what: &Exchanged,
) -> Result<Posted, Error> {
    let mut headers = shared.names(session);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let limit = shared.settings.post_timeout;
    let exchange = async {
        let answer = shared.exchange.send(Method::POST, &headers, message, what).await?;
        read(answer, shared.settings.message_limit, what).await
    };
    timeout(limit, exchange)
        .await
        .unwrap_or_else(|_| Err(Error::TimedOut { exchange: what.clone(), after: limit }))
}

/// Reads the body of an answer, if it counts.
async fn read(mut answer: Response, limit: usize, what: &Exchanged) -> Result<Posted, Error> {
    let mut head = http::Response::new(());
    *head.status_mut() = answer.status();
    std::mem::swap(head.headers_mut(), answer.headers_mut());
    let (head, ()) = head.into_parts();
    let mut body = Vec::new();
    if head.status.is_success() && is_json(&head.headers) {
        let failed = |error| Error::Network { exchange: what.clone(), problem: causes(error) };
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if chunk.len() > limit - body.len() {
                return Err(Error::TooLong { limit });
            }
            body.extend_from_slice(&chunk);
        }
    }
    Ok(Posted { head, body })
}

fn is_json(headers: &http::HeaderMap) -> bool {
    is_type(headers, b"application/json")
}

/// Returns the fate of a message that was answered with a failure status.
const fn outcome(status: u16) -> Undelivered {
    match status {
        // A server or a proxy that broke down, perhaps after it had passed the message on.
        500 | 502.. => Undelivered::OutcomeUnknown,
        _ => Undelivered::Refused(status),
    }
}

/// Tells the sender of a message that it failed.
pub(super) async fn fail(shared: &Shared, letter: &Letter, why: Undelivered, problem: &Error) {
    match &letter.request {
        Some(id) => shared.fail(id, why, problem).await,
        None => {
            let method = letter.method.as_deref().unwrap_or("an answer");
            tracing::warn!(
                method,
                status = problem.status(),
                ?why,
                "a message is lost on its way to the server"
            );
        }
    }
}
