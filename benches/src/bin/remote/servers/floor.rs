//! The floor: hyper and tungstenite with prepared bytes. It looks at no more than the method and
//! the id of a message, and has one session.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use anyhow::{Context as _, Result};
use futures::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::messages::{SESSION, UPDATES, answer, has, id_of, update};

/// The streams of all connections: there is one at a time.
type Streams = Arc<Mutex<Option<mpsc::UnboundedSender<Bytes>>>>;

pub(super) async fn serve(listener: TcpListener) -> Result<()> {
    let streams = Streams::default();
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let streams = Arc::clone(&streams);
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(request, Arc::clone(&streams)));
            let builder = Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection_with_upgrades(TokioIo::new(socket), service).await;
        });
    }
}

async fn respond(request: Request<Incoming>, streams: Streams) -> Result<Response<Either>> {
    if request.headers().contains_key("upgrade") {
        return upgrade(request);
    }
    if request.method() == Method::GET {
        let (sender, receiver) = mpsc::unbounded_channel();
        sender.send(Bytes::from_static(b":\n\n"))?;
        *streams.lock().expect("no panic before") = Some(sender);
        let response = Response::builder().header("content-type", "text/event-stream");
        return Ok(response.body(Either::Events(receiver))?);
    }
    let message = request.into_body().collect().await?.to_bytes();
    let mut response = Response::new(Either::Whole(Full::default()));
    if has(&message, b"\"initialize\"") {
        *response.body_mut() = Either::Whole(Full::from(initialized(&message)));
        response.headers_mut().insert("acp-connection-id", "floor".parse()?);
        return Ok(response);
    }
    *response.status_mut() = StatusCode::ACCEPTED;
    let mut events = Vec::new();
    for message in replies(&message) {
        events.extend_from_slice(format!("id: {}\ndata: {message}\n\n", events.len()).as_bytes());
    }
    if let Some(stream) = streams.lock().expect("no panic before").as_ref() {
        stream.send(Bytes::from(events))?;
    }
    Ok(response)
}

fn initialized(message: &[u8]) -> String {
    answer(id_of(message), &json!({"protocolVersion": 1, "agentCapabilities": {}}))
}

/// Returns the messages that a message of the client leads to.
fn replies(message: &[u8]) -> Vec<String> {
    let id = id_of(message);
    if has(message, b"\"session/prompt\"") {
        let updates = std::iter::repeat_n(update(), UPDATES);
        updates.chain([answer(id, &json!({"stopReason": "end_turn"}))]).collect()
    } else if has(message, b"\"initialize\"") {
        vec![initialized(message)]
    } else {
        vec![answer(id, &json!({"sessionId": SESSION}))]
    }
}

fn upgrade(mut request: Request<Incoming>) -> Result<Response<Either>> {
    let key = request.headers().get("sec-websocket-key").context("no key")?;
    let response = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-accept", derive_accept_key(key.as_bytes()));
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let config = WebSocketConfig::default().read_buffer_size(4 * 1024).write_buffer_size(16 * 1024);
        let io = TokioIo::new(upgraded);
        let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            for message in replies(text.as_bytes()) {
                if socket.feed(Message::text(message)).await.is_err() {
                    return;
                }
            }
            if socket.flush().await.is_err() {
                return;
            }
        }
    });
    Ok(response.body(Either::Whole(Full::default()))?)
}

/// A body.
enum Either {
    Whole(Full<Bytes>),
    Events(mpsc::UnboundedReceiver<Bytes>),
}

impl Body for Either {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Either::Whole(whole) => Pin::new(whole).poll_frame(cx),
            Either::Events(events) => {
                events.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Either::Whole(whole) if whole.is_end_stream())
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Either::Whole(whole) => whole.size_hint(),
            Either::Events(_) => hyper::body::SizeHint::default(),
        }
    }
}
