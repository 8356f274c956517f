//! Our client.

use std::net::SocketAddr;

use acp_client::{Agent, Session};
use anyhow::Result;

use super::Way;

/// A connection of `acp-client` with one session.
pub(crate) struct Ours {
    _agent: Agent,
    session: Session,
}

impl Ours {
    pub(crate) async fn connect(address: SocketAddr, way: Way) -> Result<Self> {
        let remote = match way {
            Way::OursHttp1 => acp_http::http(format!("http://{address}/acp")),
            Way::OursHttp2 => acp_http::http(format!("http://{address}/acp")).h2c(),
            _ => acp_http::ws(format!("ws://{address}/acp")),
        };
        let agent = acp_client::connect(remote).await?;
        let session = agent.new_session("/").await?;
        Ok(Self { _agent: agent, session })
    }

    pub(crate) async fn turn(&mut self) -> Result<()> {
        let mut turn = self.session.prompt("What changed?").await?;
        while turn.next().await.is_some() {}
        turn.finish().await?;
        Ok(())
    }
}
