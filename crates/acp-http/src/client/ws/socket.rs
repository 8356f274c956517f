//! The two halves of a WebSocket, with signs of life and close codes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use futures_sink::Sink;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError, Message, Utf8Bytes};

use crate::client::error::Error;
use crate::client::settings::{Settings, after};

/// The capacity of the buffer that is read into.
const READ_BUFFER: usize = 16 * 1024;
/// The shortest time between two questions for a sign of life.
const SHORTEST_PING: Duration = Duration::from_millis(10);
/// The questions without an answer after which the server counts as dead.
const MOST_MISSED: u32 = 2;

/// A WebSocket. Both halves are polled by the one task that drives the connection, so nobody waits
/// for the lock.
pub(super) struct Socket<S> {
    stream: WebSocketStream<S>,
    limit: usize,
    close_timeout: Duration,
    ping: Option<Silence>,
    /// The code with which the server has closed.
    code: Option<u16>,
    /// Set when nothing more can come.
    is_over: bool,
    /// Set when this side closes: the time until which the server may answer.
    closing: Option<Pin<Box<Sleep>>>,
}

/// The time since the last sign of life.
struct Silence {
    every: Duration,
    timer: Pin<Box<Sleep>>,
    /// The moment of the last sign of life.
    heard: Instant,
    missed: u32,
}

/// The messages of the server.
pub(super) struct Incoming<S>(Arc<Mutex<Socket<S>>>);

/// The messages for the server.
pub(super) struct Outgoing<S>(Arc<Mutex<Socket<S>>>);

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    pub(super) async fn open(stream: S, settings: &Settings) -> (Incoming<S>, Outgoing<S>) {
        let limit = settings.message_limit;
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .max_message_size(Some(limit))
            // Its own default is less than that of a message.
            .max_frame_size(Some(limit));
        let stream = WebSocketStream::from_raw_socket(stream, Role::Client, Some(config)).await;
        let ping = settings.ping.map(|every| every.max(SHORTEST_PING));
        let ping = ping.map(Silence::new);
        let close_timeout = settings.close_timeout;
        let socket = Self { stream, limit, close_timeout, ping, code: None, is_over: false, closing: None };
        let socket = Arc::new(Mutex::new(socket));
        (Incoming(Arc::clone(&socket)), Outgoing(socket))
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Utf8Bytes>>> {
        while !self.is_over {
            match Pin::new(&mut self.stream).poll_next(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    if let Some(silence) = &mut self.ping {
                        silence.broken();
                    }
                    match message {
                        Message::Text(text) => return Poll::Ready(Some(Ok(text))),
                        Message::Binary(_) => {
                            tracing::warn!("ignored a binary message of the server: messages are text");
                        }
                        Message::Close(frame) => {
                            self.code = frame.map(|frame| frame.code.into());
                            self.is_over = true;
                            // The answer leaves. A server may keep the socket open after that.
                            let _ = Pin::new(&mut self.stream).poll_flush(cx);
                            return Poll::Ready(self.closed().map(Err));
                        }
                        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    self.is_over = true;
                    return Poll::Ready(self.end(&error, cx).map(Err));
                }
                Poll::Ready(None) => {
                    self.is_over = true;
                    return Poll::Ready(self.closed().map(Err));
                }
                Poll::Pending => {
                    ready!(self.poll_silence(cx));
                    if self.is_over {
                        let missed = self.ping.as_ref().map_or(Duration::ZERO, |silence| silence.every);
                        let after = missed * (MOST_MISSED + 1);
                        return Poll::Ready(Some(Err(Error::Silent { after }.into())));
                    }
                }
            }
        }
        Poll::Ready(None)
    }

    /// Waits for the end of the silence's time, and asks for a sign of life, or gives up.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(silence) = &mut self.ping else { return Poll::Pending };
        ready!(silence.timer.as_mut().poll(cx));
        let rest = silence.every.saturating_sub(silence.heard.elapsed());
        if silence.missed == 0 && !rest.is_zero() {
            silence.timer.as_mut().reset(after(rest));
            return Poll::Ready(());
        }
        silence.timer.as_mut().reset(after(silence.every));
        if silence.missed >= MOST_MISSED {
            self.is_over = true;
            return Poll::Ready(());
        }
        silence.missed += 1;
        // If it cannot be written, the silence goes on, and tells the same.
        let _ = Pin::new(&mut self.stream).start_send(Message::Ping(Bytes::new()));
        let _ = Pin::new(&mut self.stream).poll_flush(cx);
        Poll::Ready(())
    }

    /// Returns the error of an end, unless it was in order.
    fn closed(&self) -> Option<io::Error> {
        match self.code {
            Some(1000) => None,
            code => Some(Error::Closed { code }.into()),
        }
    }

    /// Closes after an error of the stream, with the code that fits.
    fn end(&mut self, error: &WsError, cx: &mut Context<'_>) -> Option<io::Error> {
        let (code, reason, error) = match error {
            WsError::ConnectionClosed | WsError::AlreadyClosed => return self.closed(),
            // An orderly close, after which the server did not care for the socket.
            WsError::Io(_) if self.code == Some(1000) => return None,
            WsError::Io(_) | WsError::Tls(_) => return Some(Error::Closed { code: self.code }.into()),
            WsError::Capacity(_) => {
                (CloseCode::Size, "the message is too long", Error::TooLong { limit: self.limit })
            }
            WsError::Utf8(_) => (CloseCode::Invalid, "text must be UTF-8", Error::Closed { code: None }),
            // Without a close frame: the server broke off.
            _ => (CloseCode::Protocol, "broken framing", Error::Closed { code: self.code }),
        };
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        let _ = Pin::new(&mut self.stream).start_send(Message::Close(Some(frame)));
        let _ = Pin::new(&mut self.stream).poll_flush(cx);
        Some(error.into())
    }

    /// Closes, and waits until the server has closed, too.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut deadline = match self.closing.take() {
            Some(deadline) => deadline,
            None => {
                if !self.is_over && self.code.is_none() {
                    let frame = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::default() };
                    let _ = Pin::new(&mut self.stream).start_send(Message::Close(Some(frame)));
                }
                Box::pin(sleep_until(after(self.close_timeout)))
            }
        };
        let is_late = deadline.as_mut().poll(cx).is_ready();
        self.closing = Some(deadline);
        if is_late {
            return Poll::Ready(());
        }
        // An error means that the server has gone.
        if ready!(Pin::new(&mut self.stream).poll_flush(cx)).is_err() {
            return Poll::Ready(());
        }
        while !self.is_over {
            match ready!(Pin::new(&mut self.stream).poll_next(cx)) {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => self.is_over = true,
            }
        }
        Poll::Ready(())
    }
}

impl Silence {
    fn new(every: Duration) -> Self {
        Self { every, timer: Box::pin(sleep_until(after(every))), heard: Instant::now(), missed: 0 }
    }

    /// Begins anew after a sign of life. The timer goes on: to set it for each message would cost
    /// more than all else that is done with the message here.
    fn broken(&mut self) {
        self.missed = 0;
        self.heard = Instant::now();
    }
}

fn lock<S>(socket: &Mutex<Socket<S>>) -> MutexGuard<'_, Socket<S>> {
    socket.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for Incoming<S> {
    type Item = io::Result<Utf8Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        lock(&self.0).poll_next(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sink<Vec<u8>> for Outgoing<S> {
    type Error = io::Error;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut lock(&self.0).stream).poll_ready(cx).map_err(closed)
    }

    fn start_send(self: Pin<&mut Self>, message: Vec<u8>) -> io::Result<()> {
        let text = Utf8Bytes::try_from(message).map_err(io::Error::other)?;
        Pin::new(&mut lock(&self.0).stream).start_send(Message::Text(text)).map_err(closed)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut lock(&self.0).stream).poll_flush(cx).map_err(closed)
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        lock(&self.0).poll_close(cx).map(Ok)
    }
}

/// Returns the error of a write. The reader says more about the reason.
fn closed(error: WsError) -> io::Error {
    match error {
        WsError::Io(error) => error,
        _ => io::ErrorKind::BrokenPipe.into(),
    }
}
