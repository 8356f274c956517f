//! The clients, which know no more of the protocol than the end of an answer.

mod http;
mod ours;
mod websocket;

use std::net::SocketAddr;

use anyhow::Result;

pub(crate) use self::http::{Http, Version};
pub(crate) use self::ours::Ours;
pub(crate) use self::websocket::WebSocket;

/// A connection with one session.
pub(crate) enum Client {
    WebSocket(Box<WebSocket>),
    Http(Box<Http>),
    /// `acp-client` over `acp-http`.
    Ours(Box<Ours>),
}

/// The way to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    WebSocket,
    Http1,
    Http2,
    /// With our client.
    OursWebSocket,
    OursHttp1,
    OursHttp2,
}

impl Way {
    pub(crate) async fn connect(self, address: SocketAddr) -> Result<Client> {
        Ok(match self {
            Way::WebSocket => Client::WebSocket(Box::new(WebSocket::connect(address).await?)),
            Way::Http1 => Client::Http(Box::new(Http::connect(address, Version::One).await?)),
            Way::Http2 => Client::Http(Box::new(Http::connect(address, Version::Two).await?)),
            Way::OursWebSocket | Way::OursHttp1 | Way::OursHttp2 => {
                Client::Ours(Box::new(Ours::connect(address, self).await?))
            }
        })
    }
}

impl Client {
    /// Sends a prompt, and reads to the end of its turn.
    pub(crate) async fn turn(&mut self) -> Result<()> {
        match self {
            Client::WebSocket(client) => client.turn().await,
            Client::Http(client) => client.turn().await,
            Client::Ours(client) => client.turn().await,
        }
    }
}
