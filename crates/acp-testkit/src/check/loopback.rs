//! Connections on this machine, between the checker and programs that the side under check starts.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::Ipv4Addr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The longest first line of a connection.
const GREETING: usize = 64 * 1024;

/// A place where programs find the checker: its address, and a secret that they know.
#[derive(Debug)]
pub(super) struct Place {
    listener: TcpListener,
    pub(super) address: String,
    pub(super) token: String,
}

impl Place {
    pub(super) fn open() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?.to_string();
        Ok(Self { listener: TcpListener::from_std(listener)?, address, token: token() })
    }

    /// Takes a connection.
    pub(super) async fn accept(&self) -> io::Result<TcpStream> {
        Ok(self.listener.accept().await?.0)
    }

    /// Reads the first line of a connection. Anybody on this machine can connect, so it is `None`
    /// if the secret is not in it.
    pub(super) async fn greeted(&self, stream: &mut TcpStream) -> Option<Value> {
        let greeting = greeting(stream).await?;
        let knows = greeting.get("token").and_then(Value::as_str) == Some(&self.token);
        knows.then_some(greeting)
    }
}

/// Connects to the checker, and writes the first line.
pub(super) async fn greet(address: &str, greeting: &Value) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(format!("{greeting}\n").as_bytes()).await?;
    Ok(stream)
}

/// Reads the first line of a connection, a byte at a time: those behind it are of somebody else.
async fn greeting(stream: &mut TcpStream) -> Option<Value> {
    let mut line = Vec::new();
    while line.len() < GREETING {
        match stream.read_u8().await.ok()? {
            b'\n' => return serde_json::from_slice(&line).ok(),
            byte => line.push(byte),
        }
    }
    None
}

/// Makes a secret that others on this machine cannot guess.
fn token() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}
