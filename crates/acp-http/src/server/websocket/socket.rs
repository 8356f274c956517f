//! A WebSocket as a stream and a sink of messages.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use acp_rpc::CancellationToken;
use futures_core::Stream;
use futures_sink::Sink;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::body::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, Sleep};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::server::agent::Closing;
use crate::server::seats::Seat;
use crate::wire::head::{Head, Kind};

pub(super) const NORMAL: u16 = 1000;
pub(super) const GOING_AWAY: u16 = 1001;
const PROTOCOL: u16 = 1002;
const NOT_UTF8: u16 = 1007;
pub(super) const POLICY: u16 = 1008;
const TOO_BIG: u16 = 1009;
const FAULT: u16 = 1011;

/// The pings in a row that a client may leave without an answer.
const MISSED_PINGS: u8 = 2;

type Inner = WebSocketStream<TokioIo<Upgraded>>;

/// A socket, used by the reader and the writer of its agent, which are one task.
pub(super) struct Socket {
    inner: Mutex<Inner>,
    closing: Arc<Closing>,
    seat: Seat,
}

impl Socket {
    pub(super) fn new(inner: Inner, closing: Arc<Closing>, seat: Seat) -> Self {
        Self { inner: Mutex::new(inner), closing, seat }
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.seat.is_initialized()
    }

    /// Sends a close frame behind all that waits, and reads until the client's comes.
    pub(super) async fn say_goodbye(&self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: Utf8Bytes::from_static(reason(code)) };
        if poll_fn(|cx| self.inner().poll_ready_unpin(cx)).await.is_err()
            || self.inner().start_send_unpin(Message::Close(Some(frame))).is_err()
            || poll_fn(|cx| self.inner().poll_flush_unpin(cx)).await.is_err()
        {
            return;
        }
        while let Some(Ok(_)) = poll_fn(|cx| self.inner().poll_next_unpin(cx)).await {}
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fixed texts: a reason repeats nothing.
const fn reason(code: u16) -> &'static str {
    match code {
        NORMAL => "the agent has ended",
        GOING_AWAY => "the server goes away",
        PROTOCOL => "this is not a WebSocket",
        NOT_UTF8 => "the text is not UTF-8",
        POLICY => "a limit was broken",
        TOO_BIG => "the message is too long",
        _ => "the connection failed",
    }
}

fn code_of(error: &Error) -> Option<u16> {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => Some(TOO_BIG),
        Error::Utf8(_) => Some(NOT_UTF8),
        Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(PROTOCOL),
        _ => None,
    }
}

/// Messages of the client.
pub(super) struct FromClient {
    socket: Arc<Socket>,
    closed: Pin<Box<dyn Future<Output = ()> + Send>>,
    keep_alive: Duration,
    silence: Pin<Box<Sleep>>,
    /// Pings since something came.
    missed: u8,
    has_ended: bool,
}

impl FromClient {
    pub(super) fn new(socket: Arc<Socket>, keep_alive: Duration) -> Self {
        let token: CancellationToken = socket.closing.token.clone();
        Self {
            socket,
            closed: Box::pin(token.cancelled_owned()),
            keep_alive,
            silence: Box::pin(tokio::time::sleep(keep_alive)),
            missed: 0,
            has_ended: false,
        }
    }

    fn heard(&mut self) {
        self.missed = 0;
        self.restart();
    }

    fn restart(&mut self) {
        match Instant::now().checked_add(self.keep_alive) {
            Some(next) => self.silence.as_mut().reset(next),
            None => self.silence = Box::pin(tokio::time::sleep(self.keep_alive)),
        }
    }

    /// Ends the input, with the code that the client is told.
    fn end(&mut self, code: Option<u16>) -> Poll<Option<Result<Utf8Bytes, Infallible>>> {
        self.has_ended = true;
        if let Some(code) = code {
            self.socket.closing.close(code);
        }
        Poll::Ready(None)
    }

    /// Asks a silent client for a sign of life. Returns false if it did not answer the last ones.
    fn ping(&mut self, cx: &mut Context<'_>) -> bool {
        if self.missed >= MISSED_PINGS {
            return false;
        }
        self.missed += 1;
        let socket = Arc::clone(&self.socket);
        let mut inner = socket.inner();
        // One more ping does not help a socket that takes nothing now.
        if inner.poll_ready_unpin(cx).is_ready() {
            let _ = inner.start_send_unpin(Message::Ping(Bytes::new()));
            let _ = inner.poll_flush_unpin(cx);
        }
        drop(inner);
        self.restart();
        true
    }
}

impl Stream for FromClient {
    type Item = Result<Utf8Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.has_ended || this.closed.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        loop {
            let next = this.socket.inner().poll_next_unpin(cx);
            match next {
                Poll::Ready(Some(Ok(message))) => {
                    this.heard();
                    match message {
                        Message::Text(text) => return Poll::Ready(Some(Ok(text))),
                        Message::Close(_) => return this.end(None),
                        Message::Binary(bytes) => {
                            tracing::debug!(bytes = bytes.len(), "a binary message is ignored");
                        }
                        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                    }
                }
                Poll::Ready(Some(Err(error))) => return this.end(code_of(&error)),
                Poll::Ready(None) => return this.end(None),
                Poll::Pending => {
                    ready!(this.silence.as_mut().poll(cx));
                    if !this.ping(cx) {
                        tracing::debug!("a client does not answer pings: its connection is ended");
                        return this.end(Some(FAULT));
                    }
                }
            }
        }
    }
}

/// Messages to the client.
pub(super) struct ToClient(pub(super) Arc<Socket>);

impl Sink<Vec<u8>> for ToClient {
    type Error = Error;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.inner().poll_ready_unpin(cx)
    }

    fn start_send(self: Pin<&mut Self>, message: Vec<u8>) -> Result<(), Error> {
        if !self.0.is_initialized()
            && let Ok(Head { kind: Kind::Answer { is_error: false, .. }, .. }) = Head::read(&message)
        {
            self.0.seat.initialized();
        }
        // The agent's writer only writes UTF-8.
        let text =
            Utf8Bytes::try_from(Bytes::from(message)).map_err(|error| Error::Utf8(error.to_string()))?;
        self.0.inner().start_send_unpin(Message::Text(text))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.inner().poll_flush_unpin(cx)
    }

    /// The close frame comes with the end of the agent, which knows the reason.
    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.inner().poll_flush_unpin(cx)
    }
}
