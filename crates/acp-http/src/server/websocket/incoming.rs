//! The messages of a client, out of a WebSocket.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use acp_rpc::CancellationToken;
use futures_core::Stream;
use hyper::body::Bytes;
use tokio::time::{Instant, Sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;

use super::socket::{Socket, code_of, text};
use super::wakers::End;
use crate::server::close_code::FAULT;
use crate::server::policy::{Policy, Rejected};

/// The pings in a row that a client may leave without an answer.
const MISSED_PINGS: u8 = 2;

/// Messages of the client.
pub(super) struct FromClient {
    socket: Arc<Socket>,
    closed: Pin<Box<dyn Future<Output = ()> + Send>>,
    policy: Option<Arc<Policy>>,
    held: Option<Held>,
    keep_alive: Duration,
    silence: Pin<Box<Sleep>>,
    /// The moment of the last sign of life.
    heard: Instant,
    /// Pings since something came.
    missed: u8,
    has_ended: bool,
}

/// A message that the agent does not have yet. Nothing is read behind it.
enum Held {
    /// The policy looks at it.
    Judged(Pin<Box<dyn Future<Output = Result<Utf8Bytes, Rejected>> + Send>>),
    /// It is rejected with this answer.
    Rejected(Vec<u8>),
    /// The answer is on its way.
    Answered,
}

impl FromClient {
    pub(super) fn new(socket: Arc<Socket>, keep_alive: Duration, policy: Option<Arc<Policy>>) -> Self {
        let token: CancellationToken = socket.closing.token.clone();
        Self {
            socket,
            closed: Box::pin(token.cancelled_owned()),
            policy,
            held: None,
            keep_alive,
            silence: Box::pin(tokio::time::sleep(keep_alive)),
            heard: Instant::now(),
            missed: 0,
            has_ended: false,
        }
    }

    /// Notes a sign of life. The timer goes on: to set it for each message would cost more than all
    /// else that is done with the message here.
    fn heard(&mut self) {
        self.missed = 0;
        self.heard = Instant::now();
    }

    /// Lets the timer run until there was silence for the whole time since a moment.
    fn restart(&mut self, since: Instant) {
        match since.checked_add(self.keep_alive) {
            Some(next) => self.silence.as_mut().reset(next),
            None => self.silence = Box::pin(tokio::time::sleep(self.keep_alive)),
        }
    }

    /// Returns true if a timer that has run out stands for silence.
    fn is_silent(&self) -> bool {
        self.missed > 0 || self.heard.elapsed() >= self.keep_alive
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
    fn ping(&mut self, cx: &Context<'_>) -> bool {
        if self.missed >= MISSED_PINGS {
            return false;
        }
        self.missed += 1;
        // One more ping does not help a socket that takes nothing now.
        if self.socket.poll_ready(End::Reader, cx).is_ready() {
            let _ = self.socket.start_send(Message::Ping(Bytes::new()));
            let _ = self.socket.poll_flush(End::Reader, cx);
        }
        self.restart(Instant::now());
        true
    }

    /// Returns the message, or lets the policy look at it first.
    fn pass(&mut self, text: Utf8Bytes) -> Option<Utf8Bytes> {
        let Some(policy) = self.policy.as_ref().filter(|policy| policy.concerns(text.as_bytes())) else {
            return Some(text);
        };
        let policy = Arc::clone(policy);
        self.held = Some(Held::Judged(Box::pin(async move {
            policy.judge(text.as_bytes()).await?;
            Ok(text)
        })));
        None
    }

    /// Gives the agent a message.
    fn give(&self, text: Utf8Bytes) -> Poll<Option<Result<Utf8Bytes, Infallible>>> {
        self.socket.unfinished.sent(text.as_bytes());
        Poll::Ready(Some(Ok(text)))
    }

    /// Waits for the policy's judgement. Returns the message if it may pass.
    fn poll_held(&mut self, cx: &mut Context<'_>) -> Poll<Option<Utf8Bytes>> {
        loop {
            match self.held.as_mut() {
                None => return Poll::Ready(None),
                Some(Held::Judged(judging)) => match ready!(judging.as_mut().poll(cx)) {
                    Ok(text) => {
                        self.held = None;
                        return Poll::Ready(Some(text));
                    }
                    Err(rejected) => self.held = rejected.answer().map(Held::Rejected),
                },
                Some(Held::Rejected(answer)) => {
                    // If this fails, reading fails as well.
                    if ready!(self.socket.poll_ready(End::Reader, cx)).is_ok()
                        && let Ok(answer) = text(std::mem::take(answer))
                    {
                        let _ = self.socket.start_send(answer);
                    }
                    self.held = Some(Held::Answered);
                }
                Some(Held::Answered) => {
                    let _ = ready!(self.socket.poll_flush(End::Reader, cx));
                    self.held = None;
                }
            }
        }
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
            if let Some(text) = ready!(this.poll_held(cx)) {
                return this.give(text);
            }
            match this.socket.poll_read(cx) {
                Poll::Ready(Some(Ok(message))) => {
                    this.heard();
                    match message {
                        Message::Text(text) => {
                            if let Some(text) = this.pass(text) {
                                return this.give(text);
                            }
                        }
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
                    if !this.is_silent() {
                        this.restart(this.heard);
                    } else if !this.ping(cx) {
                        tracing::debug!("a client does not answer pings: its connection is ended");
                        return this.end(Some(FAULT));
                    }
                }
            }
        }
    }
}
