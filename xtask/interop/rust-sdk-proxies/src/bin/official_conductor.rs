//! The conductor of the official Rust SDK, as its own program starts it.

use agent_client_protocol_conductor::ConductorArgs;
use clap::Parser as _;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    ConductorArgs::parse().main().await
}
