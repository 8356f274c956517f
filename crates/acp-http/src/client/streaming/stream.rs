//! One stream of events: it is opened, read, and opened again.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Response;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::behind::Behind;
use super::inbound::{oversized, received};
use super::sessions::{HEAD, State};
use super::shared::Shared;
use super::stop::{Stop, StreamKey};
use crate::client::error::{Error, Exchanged};
use crate::client::exchange::causes;
use crate::wire::event_reader::{Event, EventReader};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// The attempts in a row to open a stream that fail, or bring nothing.
const MOST_ATTEMPTS: u32 = 6;
/// The close code of an end in order.
const NORMAL: u16 = 1000;
/// The wait before the second attempt. It doubles each time.
pub(super) const FIRST_WAIT: Duration = Duration::from_millis(50);

/// A stream, and its task's way to the others.
pub(super) struct EventStream {
    shared: Arc<Shared>,
    key: StreamKey,
    state: watch::Sender<State>,
    behind: UnboundedReceiver<Behind>,
    /// A message that stays behind what comes.
    held: Option<Behind>,
    /// The id of the last event.
    cursor: Option<String>,
    has_been_open: bool,
}

/// The reason why a stream is not open.
enum NotOpen {
    /// The server does not know it, or not any more.
    Unknown(Error),
    /// Another attempt may succeed.
    Again(Error),
    /// It may be open over there. Events may have been sent into nothing.
    Unheard(Error),
    Refused(Error),
}

/// The end of a body.
enum Ended {
    InOrder,
    /// In order, with the code of the connection's end.
    Told(u16),
    /// Something may be lost.
    Broken(Error),
}

impl EventStream {
    pub(super) fn new(
        shared: Arc<Shared>,
        key: StreamKey,
        state: watch::Sender<State>,
        behind: UnboundedReceiver<Behind>,
    ) -> Self {
        Self { shared, key, state, behind, held: None, cursor: None, has_been_open: false }
    }

    /// Reads the stream to its end. `announced` reaches the peer before what is on it.
    pub(super) async fn run(mut self, announced: Option<Vec<u8>>) {
        let stop = self.read_on(announced).await;
        let is_of_gone_session = self.behind.is_closed();
        self.let_all_behind().await;
        if is_of_gone_session {
            // Another stream may have its name by now.
            return;
        }
        if self.key.is_none() {
            // Messages of this stream still wait behind those of sessions.
            self.shared.sessions.settled().await;
        }
        // Somebody waits for an answer that would never be heard.
        let is_waited_for = |session: &str| self.shared.ledger().is_waited_for(session);
        let is_lost = self.has_been_open || self.key.as_deref().is_some_and(is_waited_for);
        match stop {
            Stop::Over(_) if self.key.is_some() => drop(self.state.send_replace(State::Unknown)),
            // Its requests fail, and others go on.
            Stop::Failed(error) if self.key.is_some() && !is_lost => {
                drop(self.state.send_replace(State::Refused(error)));
            }
            stop => self.shared.stop(stop),
        }
        self.shared.sessions.remove(&self.key);
    }

    async fn read_on(&mut self, mut announced: Option<Vec<u8>>) -> Stop {
        let (mut attempts, mut was_in_order) = (0, false);
        loop {
            attempts += 1;
            let error = match self.open(&mut announced).await {
                Ok(body) => {
                    self.has_been_open = true;
                    let (ended, had_events) = self.read(body).await;
                    attempts = if had_events { 0 } else { attempts };
                    was_in_order = matches!(ended, Ended::InOrder);
                    match ended {
                        Ended::Broken(error) if self.cursor.is_none() => return Stop::Failed(error),
                        Ended::Broken(error) => error,
                        Ended::Told(NORMAL) => return Stop::Over(None),
                        Ended::Told(code) => return Stop::Over(Some(Error::Closed { code: Some(code) })),
                        Ended::InOrder => self.unexpected("the stream ends again and again"),
                    }
                }
                // The end of the agent, of the session, or a session that the server learns later.
                Err(NotOpen::Unknown(_)) if was_in_order || (self.key.is_some() && !self.has_been_open) => {
                    return Stop::Over(None);
                }
                Err(NotOpen::Unknown(error) | NotOpen::Refused(error)) => return Stop::Failed(error),
                // Without a cursor the server would not see the gap.
                Err(NotOpen::Unheard(error)) if self.cursor.is_none() => {
                    self.has_been_open = true;
                    return Stop::Failed(error);
                }
                Err(NotOpen::Again(error) | NotOpen::Unheard(error)) => {
                    // If the server is another one by then, it knows nothing of the agent.
                    was_in_order = false;
                    error
                }
            };
            if attempts >= MOST_ATTEMPTS {
                return Stop::Failed(error);
            }
            // After an end in order the first attempt comes at once.
            let waits = attempts.saturating_sub(u32::from(was_in_order));
            if waits > 0 {
                sleep(FIRST_WAIT * 2_u32.pow(waits)).await;
            }
        }
    }

    /// Opens the stream. `announced` goes to the peer then, or as soon as it has waited enough.
    async fn open(&mut self, announced: &mut Option<Vec<u8>>) -> Result<Response, NotOpen> {
        let opened = {
            let mut opening = pin!(self.get());
            match timeout(HEAD, &mut opening).await {
                Ok(opened) => opened,
                Err(_) => {
                    self.announce(announced).await;
                    opening.await
                }
            }
        };
        if opened.is_ok() {
            self.state.send_replace(State::Open);
        }
        self.announce(announced).await;
        opened
    }

    async fn announce(&self, announced: &mut Option<Vec<u8>>) {
        if let Some(message) = announced.take() {
            self.shared.inbox.put(message).await;
        }
    }

    async fn get(&self) -> Result<Response, NotOpen> {
        let (shared, what) = (&self.shared, self.exchanged());
        let mut headers: HeaderMap = shared.names(&self.key);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(cursor) = self.cursor.as_deref().and_then(|cursor| HeaderValue::from_str(cursor).ok()) {
            headers.insert(LAST_EVENT_ID, cursor);
        }
        let answer = shared.exchange.send(Method::GET, &headers, Vec::new(), &what);
        let answer = timeout(shared.silence(), answer).await;
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error @ Error::Unreachable { .. })) => return Err(NotOpen::Again(error)),
            Ok(Err(error)) => return Err(NotOpen::Unheard(error)),
            Err(_) => return Err(NotOpen::Unheard(Error::Silent { after: shared.silence() })),
        };
        let status = answer.status().as_u16();
        let refused = Error::Refused { exchange: what, status };
        match status {
            200 if is_events(answer.headers()) => Ok(answer),
            200..300 => Err(NotOpen::Refused(self.unexpected("it is no stream of events"))),
            404 | 410 => Err(NotOpen::Unknown(refused)),
            // The server does not have all that comes after the cursor.
            409 if self.cursor.is_some() => Err(NotOpen::Refused(refused)),
            502 | 504 => Err(NotOpen::Unheard(refused)),
            408 | 409 | 425 | 429 | 500 | 503 | 505.. => Err(NotOpen::Again(refused)),
            _ => Err(NotOpen::Refused(refused)),
        }
    }

    /// Reads a body to its end. The second part is true if there was an event.
    async fn read(&mut self, mut body: Response) -> (Ended, bool) {
        let shared = Arc::clone(&self.shared);
        let mut reader = EventReader::new(shared.settings.message_limit);
        let (silence, mut had_events) = (shared.silence(), false);
        let ended = loop {
            self.let_overdue_behind().await;
            // What is there comes before what has to stay behind it.
            let chunk = tokio::select! {
                biased;
                chunk = timeout(silence, body.chunk()) => chunk,
                () = self.quiet() => {
                    if self.held.is_none() {
                        break Ended::Told(NORMAL);
                    }
                    self.let_behind().await;
                    continue;
                }
            };
            let bytes = match chunk {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) if reader.is_within_event() => {
                    break Ended::Broken(self.broken("it ended within an event".to_owned()));
                }
                Ok(Ok(None)) => break reader.close_code().map_or(Ended::InOrder, Ended::Told),
                Ok(Err(error)) => break Ended::Broken(self.broken(causes(error))),
                Err(_) => break Ended::Broken(Error::Silent { after: silence }),
            };
            let mut rest: &[u8] = &bytes;
            while let Some(event) = reader.next(&mut rest) {
                had_events = true;
                if let Some(id) = reader.last_id() {
                    self.cursor = Some(id.to_owned());
                }
                match event {
                    Event::Message(message) => received(&shared, message, &self.key).await,
                    Event::Oversized { id, is_call } => oversized(&shared, id, is_call).await,
                    Event::Unknown => tracing::warn!("ignored an event that is not a message"),
                }
            }
        };
        (ended, had_events)
    }

    /// Waits until a message must stay behind this stream, and nothing more is expected before it.
    /// None is held if the session is gone.
    async fn quiet(&mut self) {
        if self.held.is_none() {
            self.held = self.behind.recv().await;
        }
        if let Some(behind) = &self.held {
            behind.quiet().await;
        }
    }

    /// Hands over what has waited too long on a stream that is never silent.
    async fn let_overdue_behind(&mut self) {
        if self.held.is_none() {
            self.held = self.behind.try_recv().ok();
        }
        if self.held.as_ref().is_some_and(Behind::is_overdue) {
            self.let_behind().await;
        }
    }

    /// Hands over all that stayed behind. Nothing more comes before it.
    async fn let_all_behind(&mut self) {
        self.let_behind().await;
        self.behind.close();
        while let Some(behind) = self.behind.recv().await {
            self.held = Some(behind);
            self.let_behind().await;
        }
    }

    /// Hands the message over that stayed behind.
    async fn let_behind(&mut self) {
        if let Some(mut behind) = self.held.take() {
            // Until it is there, others of the session stay behind it.
            self.shared.inbox.put(behind.take()).await;
        }
    }

    fn exchanged(&self) -> Exchanged {
        Exchanged::new("GET", None, self.key.as_deref())
    }

    fn broken(&self, problem: String) -> Error {
        Error::Network { exchange: self.exchanged(), problem }
    }

    fn unexpected(&self, problem: &'static str) -> Error {
        Error::Unexpected { exchange: self.exchanged(), problem }
    }
}

fn is_events(headers: &HeaderMap) -> bool {
    is_type(headers, b"text/event-stream")
}

/// Returns true if the body is of a media type, with parameters or without.
pub(super) fn is_type(headers: &HeaderMap, wanted: &[u8]) -> bool {
    let value = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(wanted)
}
