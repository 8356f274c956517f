//! The first message of a client, looked at before an agent is chosen for it.

use std::io;

use acp_rpc::Transport;
use acp_types::v1::InitializeRequest;

use crate::wire;

/// The longest `initialize` that is looked at, in bytes.
const LIMIT: usize = 1024 * 1024;

/// Reads the client's `initialize` without answering it. The transport that is returned delivers it
/// again, to the agent that is served over it.
///
/// So a program can learn what the client offers before it makes the agent: one that stands for
/// another agent, which wants to know the client's capabilities first. They are those of version 1,
/// whatever version the client asks for; `protocol_version` is the one that it asks for. Returns
/// `None` if the client begins with another message, or goes without any.
///
/// ```
/// # async fn run(transport: acp_agent::Transport) -> acp_agent::Result<()> {
/// let (initialize, transport) = acp_agent::peek_initialize(transport).await?;
/// let has_files = initialize.is_some_and(|asked| asked.client_capabilities.fs.read_text_file);
/// let name = if has_files { "reader" } else { "blind" };
/// let agent = acp_agent::Router::new(name, "1.0.0", ());
/// acp_agent::serve(agent, transport).await
/// # }
/// ```
///
/// # Errors
/// The transport cannot be read.
pub async fn peek_initialize(transport: Transport) -> io::Result<(Option<InitializeRequest>, Transport)> {
    let (line, transport) = transport.first_line(LIMIT).await?;
    Ok((wire::initialize::of_line(&line), transport))
}
