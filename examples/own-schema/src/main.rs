//! Serves the reviewer on stdin and stdout.

#[tokio::main(flavor = "current_thread")]
async fn main() -> acp_agent::Result<()> {
    acp_agent::serve_stdio(acme_acp::Reviewer).await
}
