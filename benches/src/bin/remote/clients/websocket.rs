//! The client over WebSocket.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail, ensure};
use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::messages::{END, has, initialize, new_session, prompt};

/// A socket with one session.
pub(crate) struct WebSocket {
    socket: WebSocketStream<TcpStream>,
    session: String,
    turns: u64,
}

impl WebSocket {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let mut socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        let request = format!(
            "GET /acp HTTP/1.1\r\nhost: {address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(socket.read_u8().await?);
        }
        ensure!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        let config = WebSocketConfig::default().read_buffer_size(8 * 1024);
        let socket = WebSocketStream::from_raw_socket(socket, Role::Client, Some(config)).await;
        let mut client = Self { socket, session: String::new(), turns: 1 };
        client.ask(initialize()).await?;
        let answer: serde_json::Value = serde_json::from_str(&client.ask(new_session()).await?)?;
        client.session = answer["result"]["sessionId"].as_str().context("no session")?.to_owned();
        Ok(client)
    }

    async fn ask(&mut self, message: String) -> Result<Utf8Bytes> {
        self.socket.send(Message::text(message)).await?;
        loop {
            let text = self.next().await?;
            if has(text.as_bytes(), b"\"result\"") {
                return Ok(text);
            }
        }
    }

    async fn next(&mut self) -> Result<Utf8Bytes> {
        match self.socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(text),
            other => bail!("no message: {other:?}"),
        }
    }

    pub(crate) async fn turn(&mut self) -> Result<()> {
        self.turns += 1;
        self.socket.send(Message::text(prompt(self.turns, &self.session))).await?;
        while !has(self.next().await?.as_bytes(), END) {}
        Ok(())
    }
}
