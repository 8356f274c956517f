//! A client over HTTP/2, and the tests of that version.

use std::net::SocketAddr;

use h2::client::{self, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use http::{Request, Response};
use hyper::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::lab::{Answer, INITIALIZE, Lab, soon};
use acp_http::server::Options;

/// A socket of HTTP/2.
pub(crate) struct Http2 {
    sender: SendRequest<Bytes>,
    address: SocketAddr,
    running: JoinHandle<()>,
}

impl Http2 {
    /// Begins with the preface, without TLS.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap(), address).await
    }

    pub(crate) async fn over(
        socket: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        address: SocketAddr,
    ) -> Self {
        Self::with(&client::Builder::new(), socket, address).await
    }

    pub(crate) async fn with(
        builder: &client::Builder,
        socket: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        address: SocketAddr,
    ) -> Self {
        let (sender, connection) = soon(builder.handshake(socket)).await.unwrap();
        let running = tokio::spawn(async move { drop(connection.await) });
        Self { sender, address, running }
    }

    /// Does nothing more on the socket. It is not closed as long as somebody else has it.
    pub(crate) async fn abandon(self) {
        self.running.abort();
        let _ = self.running.await;
    }

    /// Sends a request, and returns the head of the answer.
    pub(crate) async fn send(&mut self, verb: &str, head: &[&str], body: &str) -> Response<RecvStream> {
        let (answer, mut stream) = self.begin(verb, head, body.is_empty()).await.unwrap();
        if !body.is_empty() {
            stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true).unwrap();
        }
        soon(answer).await.unwrap()
    }

    /// Sends a POST, and returns the status if there is an answer.
    pub(crate) async fn try_post(&mut self, head: &[&str], body: &str) -> Option<u16> {
        let (answer, mut stream) = self.begin("POST", head, body.is_empty()).await?;
        let _ = stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true);
        Some(soon(answer).await.ok()?.status().as_u16())
    }

    /// Sends a request and takes it back at once. Returns false if the socket is closed.
    pub(crate) async fn reset(&mut self, verb: &str, head: &[&str], body: &str) -> bool {
        let Some((answer, mut stream)) = self.begin(verb, head, false).await else { return false };
        let _ = stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true);
        // It is written before it is taken back.
        tokio::task::yield_now().await;
        stream.send_reset(Reason::CANCEL);
        drop(answer);
        true
    }

    async fn begin(
        &mut self,
        verb: &str,
        head: &[&str],
        is_whole: bool,
    ) -> Option<(ResponseFuture, SendStream<Bytes>)> {
        let mut request = Request::builder().method(verb).uri(format!("http://{}/acp", self.address));
        for line in head {
            let (name, value) = line.split_once(": ").unwrap();
            request = request.header(name, value);
        }
        let mut sender = soon(self.sender.clone().ready()).await.ok()?;
        sender.send_request(request.body(()).unwrap(), is_whole).ok()
    }

    pub(crate) async fn post(&mut self, head: &[&str], body: &str) -> Answer {
        let head: Vec<&str> = head.iter().copied().chain(["content-type: application/json"]).collect();
        let (parts, mut stream) = self.send("POST", &head, body).await.into_parts();
        let mut text = Vec::new();
        while let Some(data) = soon(stream.data()).await {
            let data = data.unwrap();
            text.extend_from_slice(&data);
            let _ = stream.flow_control().release_capacity(data.len());
        }
        Answer::new(parts.status.as_u16(), &parts.headers, String::from_utf8(text).unwrap())
    }
}

#[tokio::test]
async fn rm_h2_02_the_preface_is_enough_without_tls() {
    let lab = Lab::start(Options::new()).await;
    let mut client = Http2::connect(lab.address()).await;
    assert_eq!(client.post(&[], INITIALIZE).await.status, 200);
    // The old way to ask for HTTP/2 is not answered.
    let head = ["upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__", "connection: upgrade, http2-settings"];
    assert_eq!(lab.post(&head, INITIALIZE).await.status, 200);
}

/// Asks for a turn of a session.
fn say(session: &str, count: usize, size: usize) -> String {
    let params = format!(r#"{{"sessionId":"{session}","mode":"say","count":{count},"size":{size}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":"{session}","method":"session/prompt","params":{params}}}"#)
}

/// Reads a stream until the answer of its session, and returns the updates before it.
async fn turn(mut stream: RecvStream, session: &str) -> usize {
    let mut text = Vec::new();
    let end = format!("\"id\":\"{session}\"");
    loop {
        let data = soon(stream.data()).await.expect("the stream goes on").unwrap();
        let _ = stream.flow_control().release_capacity(data.len());
        text.extend_from_slice(&data);
        let so_far = String::from_utf8_lossy(&text);
        if so_far.ends_with("\n\n") && so_far.contains(&end) {
            return so_far.matches("\"number\":").count();
        }
    }
}

const SESSIONS: usize = 1_000;

/// One socket with a stream for each session. One of them is not read, and has more to say than its
/// window: all others go on.
#[tokio::test]
async fn rm_h2_05_a_session_that_is_not_read_stops_no_other() {
    let options = Options::new().streams(SESSIONS).unconfirmed(SESSIONS).requests(SESSIONS + 1);
    let lab = Lab::start(options).await;
    let mut builder = client::Builder::new();
    builder.initial_window_size(32 * 1024).initial_connection_window_size(8 * 1024 * 1024);
    let socket = TcpStream::connect(lab.address()).await.unwrap();
    let mut client = Http2::with(&builder, socket, lab.address()).await;
    let answer = client.post(&[], INITIALIZE).await;
    let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
    let mut streams = Vec::new();
    for number in 0..SESSIONS {
        let session = format!("acp-session-id: s{number}");
        let answer = client.send("GET", &[&id, &session, "accept: text/event-stream"], "").await;
        assert_eq!(answer.status(), 200, "{number}");
        streams.push(answer.into_body());
    }
    // 512 KiB fit into the budget of the connection, and not into the window of the stream.
    let unread = streams.remove(0);
    assert_eq!(client.post(&[&id], &say("s0", 512, 1024)).await.status, 202);
    let mut turns = Vec::new();
    for (number, stream) in (1..SESSIONS).zip(streams) {
        let session = format!("s{number}");
        assert_eq!(client.post(&[&id], &say(&session, 4, 100)).await.status, 202);
        turns.push(tokio::spawn(async move { turn(stream, &session).await }));
    }
    for turn in turns {
        assert_eq!(turn.await.unwrap(), 4);
    }
    // Nothing of it is lost meanwhile.
    assert_eq!(turn(unread, "s0").await, 512);
}

/// A client that answers no ping is dead.
#[tokio::test]
async fn rm_h2_06_a_dead_socket_is_found_by_pings() {
    let lab = Lab::start(Options::new()).await;
    let mut socket = TcpStream::connect(lab.address()).await.unwrap();
    // The preface, and settings without any.
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut frames = vec![soon(socket.read_u8()).await.unwrap()];
    // From here on the clock goes on by itself, whenever there is nothing else to do.
    tokio::time::pause();
    let found = soon(async {
        // A ping has type 6, and no answer comes.
        while !frames.windows(9).any(|frame: &[u8]| frame[..5] == [0, 0, 8, 6, 0]) {
            frames.push(socket.read_u8().await.unwrap());
        }
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await
    });
    assert!(found.await.is_ok());
}
