//! The client over HTTP with streams of events.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::messages::{END, has, initialize, new_session, prompt};

/// The version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

/// The sockets for messages and for streams.
enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// A connection with one session and its stream.
pub(crate) struct Http {
    posts: Sender,
    address: SocketAddr,
    connection: String,
    session: String,
    stream: Option<Incoming>,
    /// The stream of the connection, and the sockets of both. They stay open.
    _kept: Vec<(Sender, Option<Incoming>)>,
    turns: u64,
}

impl Sender {
    async fn open(address: SocketAddr, version: Version) -> Result<Self> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        let io = TokioIo::new(socket);
        Ok(match version {
            Version::One => {
                let (sender, connection) = http1::handshake(io).await?;
                tokio::spawn(connection);
                Sender::One(sender)
            }
            Version::Two => {
                let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
                tokio::spawn(connection);
                Sender::Two(sender)
            }
        })
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>> {
        Ok(match self {
            Sender::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Sender::Two(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        })
    }

    /// Returns a sender for a stream: that of HTTP/1.1 is a socket of its own.
    async fn another(&self, address: SocketAddr) -> Result<Self> {
        match self {
            Sender::One(_) => Self::open(address, Version::One).await,
            Sender::Two(sender) => Ok(Sender::Two(sender.clone())),
        }
    }
}

impl Http {
    pub(crate) async fn connect(address: SocketAddr, version: Version) -> Result<Self> {
        let posts = Sender::open(address, version).await?;
        let mut client = Self {
            posts,
            address,
            connection: String::new(),
            session: String::new(),
            stream: None,
            _kept: Vec::new(),
            turns: 1,
        };
        let answer = client.post(initialize()).await?;
        let id = answer.headers().get("acp-connection-id").context("no id")?.to_str()?.to_owned();
        answer.into_body().collect().await?;
        client.connection = id;
        let (sender, mut stream) = client.open(None).await?;
        client.post(new_session()).await?.into_body().collect().await?;
        let text = until(&mut stream, b"\"result\"").await?;
        let at = text.find("{\"").context("no message")?;
        let message = text[at..].lines().next().context("no message")?;
        let answer: serde_json::Value = serde_json::from_str(message)?;
        client.session = answer["result"]["sessionId"].as_str().context("no session")?.to_owned();
        client._kept.push((sender, Some(stream)));
        let (sender, stream) = client.open(Some(client.session.clone())).await?;
        client._kept.push((sender, None));
        client.stream = Some(stream);
        Ok(client)
    }

    fn request(&self, method: &str) -> hyper::http::request::Builder {
        let uri = match self.posts {
            Sender::One(_) => "/acp".to_owned(),
            Sender::Two(_) => format!("http://{}/acp", self.address),
        };
        let request = Request::builder().method(method).uri(uri).header("host", self.address.to_string());
        match self.connection.as_str() {
            "" => request,
            id => request.header("acp-connection-id", id),
        }
    }

    async fn post(&mut self, message: String) -> Result<Response<Incoming>> {
        let request = self.request("POST").header("content-type", "application/json");
        let request = match self.session.as_str() {
            "" => request,
            session => request.header("acp-session-id", session),
        };
        let answer = self.posts.send(request.body(Full::from(message))?).await?;
        ensure!(answer.status().is_success(), "{}", answer.status());
        Ok(answer)
    }

    async fn open(&self, session: Option<String>) -> Result<(Sender, Incoming)> {
        let mut sender = self.posts.another(self.address).await?;
        let request = self.request("GET").header("accept", "text/event-stream");
        let request = match session {
            Some(session) => request.header("acp-session-id", session),
            None => request,
        };
        let answer = sender.send(request.body(Full::default())?).await?;
        ensure!(answer.status().is_success(), "{}", answer.status());
        Ok((sender, answer.into_body()))
    }

    pub(crate) async fn turn(&mut self) -> Result<()> {
        self.turns += 1;
        let message = prompt(self.turns, &self.session);
        self.post(message).await?.into_body().collect().await?;
        let stream = self.stream.as_mut().context("no stream")?;
        until(stream, END).await?;
        Ok(())
    }
}

/// Reads a stream until a piece of it has these bytes in it, and ends an event.
async fn until(stream: &mut Incoming, end: &[u8]) -> Result<String> {
    let mut text = Vec::new();
    while !has(&text, end) || !text.ends_with(b"\n\n") {
        let frame = stream.frame().await.context("the stream has ended")??;
        if let Ok(data) = frame.into_data() {
            text.extend_from_slice(&data);
        }
    }
    Ok(String::from_utf8(text)?)
}
