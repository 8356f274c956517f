//! Serving an agent to a client.

use std::sync::Arc;

use acp_rpc::{CloseReason, Options, Transport};

use crate::agent::Agent;
use crate::connection::{Connection, Server};
use crate::error::{Error, Result};

/// Serves the agent to the client that started this process, over stdin and stdout.
///
/// Returns when the client closes stdin. Until then stdout belongs to the protocol: stray prints are led to
/// stderr on unix. Turns that still run when the client goes are cancelled.
///
/// Needs a tokio runtime with I/O and time enabled, of either flavour.
///
/// # Errors
/// Reading stdin or writing stdout fails, or stdio is in use already.
pub async fn serve_stdio<A: Agent>(agent: A) -> Result<()> {
    serve(agent, Transport::stdio()?).await
}

/// Serves the agent to one client, over any transport.
///
/// Returns when the client closes its side. Turns that still run then are cancelled.
///
/// # Errors
/// The transport fails.
pub async fn serve<A: Agent>(agent: A, transport: Transport) -> Result<()> {
    serve_with(Arc::new(agent), transport, Options::default()).await
}

/// Like [`serve`], for an agent that serves several clients at once, and with limits of one's own.
///
/// Sessions belong to the connection they were opened on.
///
/// # Errors
/// The transport fails.
pub async fn serve_with<A: Agent>(agent: Arc<A>, transport: Transport, options: Options) -> Result<()> {
    let server = Server(Arc::new(Connection::new(agent)));
    let (_peer, driver) = acp_rpc::connect(transport, server, options);
    match driver.await {
        // Shared, because pending calls have failed with it too.
        CloseReason::Io(error) => Err(Error::Io(std::io::Error::new(error.kind(), error))),
        _ => Ok(()),
    }
}
