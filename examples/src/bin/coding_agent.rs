//! The coding agent as a program that an editor can start.

#[tokio::main(flavor = "current_thread")]
async fn main() -> acp_agent::Result<()> {
    examples::coding_agent::serve().await
}
