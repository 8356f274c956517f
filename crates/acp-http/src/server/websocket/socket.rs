//! A WebSocket as a stream and a sink of messages.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_sink::Sink;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::body::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::{self, Message};

use super::wakers::{End, Shared};
use crate::server::agent::Closing;
use crate::server::close_code::{GOING_AWAY, NORMAL};
use crate::server::seats::Seat;
use crate::wire::head::{Head, Kind};
use crate::wire::unfinished::Unfinished;

const PROTOCOL: u16 = 1002;
const NOT_UTF8: u16 = 1007;
pub(super) const POLICY: u16 = 1008;
const TOO_BIG: u16 = 1009;

type Inner = WebSocketStream<TokioIo<Upgraded>>;

/// A socket, used by the reader and the writer of its agent.
pub(super) struct Socket {
    inner: Mutex<Inner>,
    shared: Shared,
    pub(super) closing: Arc<Closing>,
    pub(super) unfinished: Unfinished,
    seat: Seat,
}

impl Socket {
    pub(super) fn new(inner: Inner, closing: Arc<Closing>, seat: Seat) -> Self {
        Self { inner: Mutex::new(inner), shared: Shared::new(), closing, unfinished: Unfinished::new(), seat }
    }

    pub(super) fn is_initialized(&self) -> bool {
        self.seat.is_initialized()
    }

    /// Waits until the server shuts down, and all work is finished.
    pub(super) async fn may_go(&self) {
        self.seat.shutting().await;
        self.unfinished.none().await;
    }

    /// Reads the next message.
    pub(super) fn poll_read(&self, cx: &Context<'_>) -> Poll<Option<Result<Message, Error>>> {
        self.inner().poll_next_unpin(&mut self.shared.context(End::Reader, cx))
    }

    /// Waits until the socket takes a message.
    pub(super) fn poll_ready(&self, end: End, cx: &Context<'_>) -> Poll<Result<(), Error>> {
        self.inner().poll_ready_unpin(&mut self.shared.context(end, cx))
    }

    /// Gives the socket a message, once it is ready for one.
    pub(super) fn start_send(&self, message: Message) -> Result<(), Error> {
        self.inner().start_send_unpin(message)
    }

    /// Waits until all messages are written.
    pub(super) fn poll_flush(&self, end: End, cx: &Context<'_>) -> Poll<Result<(), Error>> {
        self.inner().poll_flush_unpin(&mut self.shared.context(end, cx))
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
        POLICY => "a limit was broken, or the credentials have ended",
        TOO_BIG => "the message is too long",
        _ => "the connection failed",
    }
}

/// Returns the code of a fault of the client.
pub(super) fn code_of(error: &Error) -> Option<u16> {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => Some(TOO_BIG),
        Error::Utf8(_) => Some(NOT_UTF8),
        Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(PROTOCOL),
        _ => None,
    }
}

/// Messages to the client.
pub(super) struct ToClient(pub(super) Arc<Socket>);

impl Sink<Vec<u8>> for ToClient {
    type Error = Error;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.poll_ready(End::Writer, cx)
    }

    fn start_send(self: Pin<&mut Self>, message: Vec<u8>) -> Result<(), Error> {
        if !self.0.is_initialized()
            && let Ok(Head { kind: Kind::Answer { is_error: false, .. }, .. }) = Head::read(&message)
        {
            self.0.seat.initialized();
        }
        self.0.unfinished.received(&message);
        self.0.start_send(text(message)?)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.poll_flush(End::Writer, cx)
    }

    /// The close frame comes with the end of the agent, which knows the reason.
    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.poll_flush(End::Writer, cx)
    }
}

/// Makes a message of JSON, which is UTF-8.
pub(super) fn text(message: Vec<u8>) -> Result<Message, Error> {
    let text = Utf8Bytes::try_from(Bytes::from(message)).map_err(|error| Error::Utf8(error.to_string()))?;
    Ok(Message::Text(text))
}
