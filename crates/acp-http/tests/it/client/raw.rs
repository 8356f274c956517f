//! A server that reads requests and writes bytes.

use std::collections::HashMap;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub(crate) struct Server {
    pub(crate) address: String,
    asked: mpsc::UnboundedReceiver<Asked>,
    /// Requests that came before one that was looked for.
    early: Vec<Asked>,
}

/// A request, and the socket to answer on.
pub(crate) struct Asked {
    pub(crate) verb: String,
    /// Names are in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
    pub(crate) socket: TcpStream,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("127.0.0.1:{}/acp", listener.local_addr().unwrap().port());
        let (sender, asked) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    if let Some(asked) = read(socket).await {
                        let _ = sender.send(asked);
                    }
                });
            }
        });
        Self { address, asked, early: Vec::new() }
    }

    /// Waits for a request.
    pub(crate) async fn when(&mut self, wanted: impl Fn(&Asked) -> bool) -> Asked {
        if let Some(place) = self.early.iter().position(&wanted) {
            return self.early.remove(place);
        }
        loop {
            let asked = self.asked.recv().await.unwrap();
            if wanted(&asked) {
                return asked;
            }
            self.early.push(asked);
        }
    }

    pub(crate) async fn next(&mut self) -> Asked {
        self.when(|_| true).await
    }
}

async fn read(mut socket: TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let mut lines = text.lines();
    let verb = lines.next()?.split(' ').next()?.to_owned();
    let headers: HashMap<_, _> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if socket.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { verb, headers, body: String::from_utf8(body).unwrap(), socket })
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Answers, and closes the socket.
    pub(crate) async fn answer(mut self, status: &str, headers: &[&str], body: &str) {
        let more: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{more}\r\n{body}");
        self.socket.write_all(answer.as_bytes()).await.unwrap();
        self.socket.shutdown().await.unwrap();
    }
}
