//! Scripted peers as files: what a peer does, for tests in any language (feature `mock`).
//!
//! A [`Mock`] is read from TOML or NDJSON, or made from a recording, and plays one side of a
//! connection. `acp mock` is this as a program. The page
//! [mock](https://github.com/acp-rs/acp/blob/main/docs/check/MOCK.md) describes the steps.
//!
//! ```
//! use acp_testkit::ScriptedPeer;
//! use acp_testkit::mock::{Form, Mock, Side};
//! use serde_json::json;
//!
//! const AGENT: &str = r#"
//! [[step]]
//! expect = "initialize"
//! params = { protocolVersion = "${version}" }
//!
//! [[step]]
//! answer = { protocolVersion = "${version}", agentCapabilities = {} }
//! "#;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Mock::parse(AGENT, Form::Toml, Side::Agent)?;
//! let (client, agent_end) = tokio::io::duplex(4096);
//! let agent = tokio::spawn(agent.play(ScriptedPeer::from_stream(agent_end)));
//! let mut client = ScriptedPeer::from_stream(client);
//! let answer = client.call("initialize", json!({"protocolVersion": 1})).await?;
//! assert_eq!(answer["result"]["protocolVersion"], 1);
//! client.close().await;
//! agent.await??;
//! # Ok(()) }
//! ```

mod error;
mod file;
mod ids;
mod pattern;
mod play;
mod recorded;
mod requests;
mod step;
mod written;

pub use self::error::{MockError, Reason, RecordedError, ScriptError};
pub use self::file::Form;
use self::step::Placed;

/// A side of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The agent.
    Agent,
    /// The client.
    Client,
}

/// A script that was read, for one side.
#[derive(Clone, Debug)]
#[must_use = "a script does nothing until it is played"]
pub struct Mock {
    side: Side,
    steps: Vec<Placed>,
}
