//! Serves the agent on stdin and stdout. Stdout belongs to the protocol, so messages for people go
//! to stderr.

#[tokio::main(flavor = "current_thread")]
async fn main() -> acp_agent::Result<()> {
    acp_agent::serve_stdio({{crate}}::Assistant).await
}
