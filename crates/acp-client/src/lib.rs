//! Drive any [Agent Client Protocol](https://agentclientprotocol.com) agent: start it, open sessions, prompt it, answer
//! what it asks.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use acp_client::{Command, LocalFs, PermissionPolicy};
//!
//! let cwd = std::env::current_dir()?;
//! let agent = acp_client::spawn(Command::new("my-agent"))
//!     .fs(LocalFs::rooted(&cwd)?)
//!     .permissions(PermissionPolicy::allow_once())
//!     .await?;
//! let session = agent.new_session(&cwd).await?;
//! let mut turn = session.prompt("What changed today?").await?;
//! while let Some(event) = turn.next().await {
//!     // text, thoughts, tool calls, plan, …: in the order of the wire
//! }
//! let done = turn.finish().await?;
//! # Ok(()) }
//! ```
//!
//! * [`spawn`] and [`connect`] initialize and negotiate; awaiting them gives an [`Agent`].
//! * A [`Session`] is a conversation, a [`Turn`] one prompt in it: a stream of [`Event`]s, then the response.
//! * The agent's requests are answered by [`Client`]s: [`LocalFs`], [`PermissionPolicy`], or your own. What they serve
//!   is what the agent is told it may ask for.
//! * What the agent did not offer is not sent: the call fails at once and names the capability.
//!
//! All of it runs on a tokio runtime, in the thread or threads of the caller's.

mod agent;
mod client;
mod connect;
mod error;
mod event;
mod handlers;
mod host;
mod inbox;
mod open;
mod permission;
mod profile;
mod service;
mod session;
mod sessions;
mod turn;

pub use acp_rpc::{CloseReason, Command, Error as RpcError, Exit, Options, Peer, Transport};
pub use acp_types::{FromNode, Map, UnknownVariant, Value, method, v1};

pub use agent::Agent;
pub use client::{Client, Context};
pub use connect::{Connect, connect, spawn};
pub use error::Error;
pub use event::Event;
pub use handlers::Handlers;
pub use host::fs::LocalFs;
pub use open::{LoadSession, NewSession};
pub use permission::{Choice, PermissionPolicy};
pub use session::{IntoPrompt, Session, Updates};
pub use turn::Turn;
