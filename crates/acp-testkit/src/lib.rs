//! A test kit for programs that speak the Agent Client Protocol.
//!
//! * [`ScriptedPeer`] plays an agent or a client, line by line: in memory, over any stream, or over
//!   a child process. A message that differs from the expected one is a readable [`Fault`].
//! * [`Script`] is such a play as a value, with delays, [events](Event) and [broken lines](Garble).
//!   The [list of faults](https://github.com/acp-rs/acp/blob/main/docs/TESTING.md#faults) names the
//!   way to make each of them.
//! * [`relay`] stands between two peers and changes their lines.
//! * [`Meter`] holds the memory of a process to a budget.
//! * [`Seeds`] runs a test with many seeds and names the one that fails. [`Dice`] makes the choices
//!   of a seed.
//!
//! # Testing an agent
//!
//! ```
//! use acp_agent::{Result, Serve, StopReason, Turn, agent};
//! use acp_testkit::ScriptedPeer;
//! use serde_json::json;
//!
//! struct Echo;
//!
//! #[agent(name = "echo", version = "1")]
//! impl Echo {
//!     async fn prompt(&self, turn: Turn) -> Result<StopReason> {
//!         turn.say(turn.text()).await?;
//!         Ok(StopReason::EndTurn)
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::result::Result<(), acp_testkit::Fault> {
//! let (transport, mut client) = ScriptedPeer::pair();
//! let served = tokio::spawn(Serve::new(Echo).over(transport));
//! client.call("initialize", json!({"protocolVersion": 1})).await?;
//! let opened = client.call("session/new", json!({"cwd": "/", "mcpServers": []})).await?;
//! let session = &opened["result"]["sessionId"];
//! let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "hello"}]});
//! let answer = client.call("session/prompt", prompt).await?;
//! assert_eq!(answer["result"]["stopReason"], "end_turn");
//! assert_eq!(client.take_notifications()[0]["params"]["update"]["content"]["text"], "hello");
//! client.close().await;
//! served.await.unwrap().unwrap();
//! # Ok(()) }
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `process` | scripted peers of child processes |
//! | `check` | the module `check`: the rules of the protocol, run against any agent or client |
//! | `mock` | the module `mock`: scripted peers as files, for tests in any language |
//! | `model-stub` | the module `model`: a stand-in for the model of an agent under test |
//! | `recordings` | the module `recordings`: recordings, written, converted and compared |
//! | `store` | the module `store`: a conformance suite for stores of sessions |
//! | `definitions` | `Definition` and `round_trip`: any definition of the schema by its name |
//! | `canonical` | `CanonicalSchema` and `LineCheck`: the schema of the repository, for each line |
//! | `schema` | `transcripts`: the schema's and the types' opinion of recorded traffic |
//! | `schemars` | `TypeSchemas`: the types' own JSON Schemas |
//! | `unstable`, `v2` | the types of the unstable schema, and of version 2 |

#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "definitions")]
mod definition;
#[cfg(feature = "definitions")]
#[rustfmt::skip]
mod generated {
    pub(crate) mod definitions;
}
mod meter;
#[cfg(feature = "mock")]
pub mod mock;
#[cfg(feature = "model-stub")]
pub mod model;
mod peer;
#[cfg(feature = "recordings")]
pub mod recordings;
mod relay;
#[cfg(feature = "canonical")]
mod schema;
mod script;
mod seeds;
#[cfg(feature = "store")]
pub mod store;
#[cfg(feature = "schema")]
pub mod transcripts;

#[cfg(feature = "schemars")]
pub use definition::type_schemas::TypeSchemas;
#[cfg(feature = "definitions")]
pub use definition::{Definition, Failure, answer, round_trip};
pub use meter::{Meter, MeterFault};
pub use peer::{Difference, Fault, FaultKind, Line, Message, ScriptedPeer, Way};
pub use relay::{Outbox, Writer, relay};
#[cfg(feature = "canonical")]
pub use schema::{CanonicalSchema, LineCheck};
pub use script::{Event, Garble, Script};
pub use seeds::{Dice, SeedFault, Seeds};
