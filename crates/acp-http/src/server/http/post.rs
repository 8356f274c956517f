//! POST: a message of the client.

use std::sync::Arc;

use acp_rpc::Id;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::connection::{Connection, Connections, Posting};
use super::fill_in::fill_in;
use super::incoming::{id_of, is_encoded, is_json, is_too_long, read};
use super::supervise;
use crate::server::access::connection_id::ConnectionId;
use crate::server::agent::{Caller, Closing, Factory};
use crate::server::body::{Body, Taken};
use crate::server::close_code::NORMAL;
use crate::server::options::Options;
use crate::server::policy::Rejected;
use crate::server::refusal::Refused;
use crate::server::seats::Seats;
use crate::wire::SESSION_METHODS;
use crate::wire::head::{Head, Kind};
use crate::wire::headers::{CONNECTION_ID, SESSION_ID, fits_header};
use crate::wire::routes::Initialized;

/// The longest first message. Nothing holds a place for it yet.
const LONGEST_INITIALIZE: usize = 1024 * 1024;
/// The longest id of a request, in bytes.
const LONGEST_ID: usize = 1024;

/// The parts of a server that a message needs.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) options: &'a Options,
    pub(crate) connections: &'a Arc<Connections>,
    pub(crate) seats: &'a Arc<Seats>,
    pub(crate) factory: &'a Factory,
}

/// Takes a message.
pub(crate) async fn post<B: http_body::Body>(
    headers: &HeaderMap,
    body: B,
    caller: &Caller,
    place: Place<'_>,
) -> Result<Response<Body>, Refused> {
    if !is_json(headers) {
        return Err(Refused::MEDIA_TYPE);
    }
    if is_encoded(headers) {
        return Err(Refused::ENCODING);
    }
    let limits = &place.options.limits;
    let Some(id) = id_of(headers, CONNECTION_ID)? else {
        let limit = limits.message.min(LONGEST_INITIALIZE);
        if is_too_long(headers, limit) {
            return Err(Refused::TOO_LARGE);
        }
        let message = read(body, limit, limits.body, None).await?;
        return begin(message, caller, place).await;
    };
    let connection = place.connections.find(id, &caller.grant.principal).ok_or(Refused::NO_CONNECTION)?;
    if is_too_long(headers, limits.message) {
        return Err(Refused::TOO_LARGE);
    }
    let mut posting = Posting::start(&connection).ok_or(Refused::TOO_MANY_POSTS)?;
    let message = read(body, limits.message, limits.body, Some(&mut posting)).await?;
    let head = Head::read(&message)?;
    check_id(&head)?;
    if head.method() == Some("initialize") {
        return again(&connection, &message, &head).await;
    }
    let header =
        id_of(headers, SESSION_ID)?.filter(|_| !head.method().is_some_and(|it| it.starts_with("$/")));
    let (session, needs_fill_in) = session(&head, header)?;
    let session = session.map(str::to_owned);
    let filled = match &session {
        Some(session) if needs_fill_in => Some(fill_in(&message, session)?),
        _ => None,
    };
    if let Some(rejected) = reject(place.options, filled.as_deref().unwrap_or(&message)).await {
        let answer = rejected.with_id(head.request().cloned()).answer();
        connection.room().await;
        connection.state().routes.admit(&head, session.as_deref())?;
        answer.into_iter().for_each(|answer| connection.place(answer));
        return Ok(accepted());
    }
    let permit = permit(&connection).await?;
    // From here to the end of the hand-over nothing waits: it happens as a whole, or not at all.
    connection.state().routes.admit(&head, session.as_deref())?;
    drop(head);
    permit.send(filled.unwrap_or(message));
    Ok(accepted())
}

/// Asks the policy about a message.
async fn reject(options: &Options, message: &[u8]) -> Option<Rejected> {
    let policy = options.policy.as_ref().filter(|policy| policy.concerns(message))?;
    policy.judge(message).await.err()
}

/// Returns the answer to a message that was handed over.
pub(super) fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    response
}

fn check_id(head: &Head<'_>) -> Result<(), Refused> {
    match &head.kind {
        Kind::Request { id: Id::Str(id), .. } if id.len() > LONGEST_ID => Err(Refused::LONG_ID),
        _ => Ok(()),
    }
}

/// Returns the session that a message is about, and true if only the header says so.
fn session<'a>(head: &'a Head<'_>, header: Option<&'a str>) -> Result<(Option<&'a str>, bool), Refused> {
    if header.is_some_and(|header| !fits_header(header)) {
        return Err(Refused::TWO_IDS);
    }
    let Some(method) = head.method() else { return Ok((header, false)) };
    match (header, head.session.as_deref()) {
        (Some(header), Some(session)) if header != session => Err(Refused::TWO_SESSIONS),
        (_, Some(session)) => Ok((Some(session), false)),
        (Some(header), None) => Ok((Some(header), true)),
        (None, None) if SESSION_METHODS.binary_search(&method).is_ok() => Err(Refused::SESSION_MISSING),
        (None, None) => Ok((None, false)),
    }
}

/// Waits until the agent takes a message, in the order in which messages came.
async fn permit(connection: &Connection) -> Result<mpsc::Permit<'_, Vec<u8>>, Refused> {
    tokio::select! {
        biased;
        () = connection.closing.token.cancelled() => Err(Refused::NO_CONNECTION),
        permit = connection.to_agent.reserve() => permit.map_err(|_| Refused::NO_CONNECTION),
    }
}

/// Takes the first message of a connection.
async fn begin(message: Vec<u8>, caller: &Caller, place: Place<'_>) -> Result<Response<Body>, Refused> {
    let head = Head::read(&message)?;
    check_id(&head)?;
    match &head.kind {
        Kind::Request { id: Id::Null, method } | Kind::Notification { method } if method == "initialize" => {
            return Err(Refused::INITIALIZE_ID);
        }
        Kind::Request { method, .. } if method == "initialize" => {}
        _ => return Err(Refused::CONNECTION_MISSING),
    }
    let limits = place.options.limits;
    let seat = Arc::new(place.seats.take(&limits, caller)?);
    let id = ConnectionId::random(place.options.replica.as_deref()).ok_or(Refused::BROKEN)?;
    let (to_agent, from_client) = mpsc::channel(1);
    let remote = caller.remote(id.clone());
    let closing = Closing::new(place.seats.closing.child_token(), &remote);
    let principal = caller.grant.principal.clone();
    let connection = Arc::new(Connection::new(id.clone(), principal, closing, limits, to_agent));
    let _busy = connection.busy(false);
    place.connections.insert(&connection);
    let guard = CloseOnDrop(Some(Arc::clone(&connection)));
    let transport = supervise::transport(&connection, from_client);
    let agent = (place.factory)(transport, remote);
    let connections = Arc::clone(place.connections);
    tokio::spawn(supervise::run(Arc::clone(&connection), connections, agent, Arc::clone(&seat)));

    let answer = ask(&connection, &message, &head).await?;
    if answer.is_error {
        return Ok(answered(answer.message));
    }
    seat.initialized();
    let mut response = json(Body::watched(answer.message, guard));
    response.headers_mut().insert(CONNECTION_ID, id.header().ok_or(Refused::BROKEN)?);
    Ok(response)
}

/// Takes `initialize` of a connection that has begun. Version 2 leaves it to the agent.
async fn again(
    connection: &Arc<Connection>,
    message: &[u8],
    head: &Head<'_>,
) -> Result<Response<Body>, Refused> {
    if connection.state().routes.version().is_none_or(|version| version < 2) {
        return Err(Refused::INITIALIZED);
    }
    if !matches!(&head.kind, Kind::Request { id, .. } if *id != Id::Null) {
        return Err(Refused::INITIALIZE_ID);
    }
    Ok(answered(ask(connection, message, head).await?.message))
}

/// Hands `initialize` over and waits for its answer.
async fn ask(connection: &Arc<Connection>, message: &[u8], head: &Head<'_>) -> Result<Initialized, Refused> {
    let (sender, answer) = oneshot::channel();
    let asking = async {
        let permit = permit(connection).await.map_err(|_| Refused::AGENT_ENDED)?;
        {
            let mut state = connection.state();
            if state.initializing.as_ref().is_some_and(|waiting| !waiting.is_closed()) {
                return Err(Refused::TOO_MANY_REQUESTS);
            }
            state.routes.admit(head, None)?;
            state.initializing = Some(sender);
        }
        permit.send(message.to_vec());
        answer.await.map_err(|_| Refused::AGENT_ENDED)
    };
    timeout(connection.limits.initialize, asking).await.unwrap_or(Err(Refused::AGENT_SILENT))
}

/// Returns an answer with JSON in it.
pub(crate) fn answered(message: Vec<u8>) -> Response<Body> {
    json(Body::whole(message))
}

fn json(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Closes a connection whose client never learned its id.
struct CloseOnDrop(Option<Arc<Connection>>);

impl Taken for CloseOnDrop {
    fn taken(mut self: Box<Self>) {
        self.0 = None;
    }
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.close(NORMAL);
        }
    }
}
