//! The server of `acp-http`, with agents on `acp-agent`.

use acp_agent::{Result, StopReason, Turn, agent};
use acp_http::server::{Options, Server};
use tokio::net::TcpListener;

use super::MOST;
use crate::messages::{CHUNK, UPDATES};

struct Bench;

#[agent(name = "bench")]
impl Bench {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        for _ in 0..UPDATES {
            turn.say(CHUNK).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

pub(super) async fn serve(listener: TcpListener) -> anyhow::Result<()> {
    let options = Options::new().connections(MOST).connections_per_principal(MOST);
    let options = options.connections_per_address(MOST).uninitialized(MOST).sockets(MOST);
    let server = Server::new(options, |transport, _| acp_agent::serve(Bench, transport));
    server.serve(listener)?.ended().await;
    Ok(())
}
