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
//! * The agent's requests are answered by [`Client`]s: [`LocalFs`], [`LocalTerminals`], [`PermissionPolicy`], or your
//!   own, as a [`#[client]`](macro@client) block or a [`Router`]. What they serve is what the agent is told it may ask
//!   for.
//! * A [`Transcript`] folds the events into what is to be shown, and says what has changed.
//! * [`reconnecting`] starts an agent again that has died, and takes its sessions up again. A [`Registry`] is a list of
//!   agents, with the command that starts each.
//! * What the agent did not offer is not sent: the call fails at once and names the capability.
//!
//! All of it runs on a tokio runtime, in the thread or threads of the caller's.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `pty` | commands of agents on a terminal of their own, on unix |
//! | `tracing` | spans of the crate `tracing`: see [`trace`] |
//! | `unstable` | what only the unstable schema has, without any promise |
//! | `mcp` | MCP servers made with rmcp are provided to the agent over the connection; brings `unstable` |

mod agent;
mod answer;
mod auth;
mod call;
mod cancel;
mod claims;
mod client;
mod close;
mod config;
mod connect;
mod elicit;
mod elicited_pages;
mod error;
mod event;
mod extract;
mod form;
mod generated;
mod handler;
mod handlers;
mod host;
mod inbox;
mod list;
#[cfg(feature = "mcp")]
mod mcp;
mod members;
pub mod op;
mod open;
mod permission;
mod phase;
mod profile;
mod reconnect;
mod registry;
mod replay;
mod reply;
mod router;
mod rows;
pub mod sanitize;
mod served;
mod service;
mod session;
mod sessions;
mod terminal_login;
mod transcript;
mod turn;
#[cfg(feature = "unstable")]
mod unstable;

#[doc = include_str!("macro.md")]
pub use acp_macros::client;
/// MCP servers made with rmcp, for [`Connect::client`](Connect::client): see [`acp_mcp`].
#[cfg(feature = "mcp")]
pub use acp_mcp::{self, McpProvider};
pub use acp_rpc::{
    CallError, CloseReason, Command, Error as RpcError, Exit, Options, Peer, Reply, Transport, layer, tap,
    trace,
};
pub use acp_types::{FromNode, Map, Meta, ReadError, UnknownVariant, Value, method, v1};

pub use agent::Agent;
pub use call::Call;
pub use cancel::Cancel;
pub use client::{Client, Context};
pub use config::IntoConfigValue;
pub use connect::{Connect, connect, spawn};
pub use elicit::{Elicitation, ElicitationAnswer, FormElicitation, UrlElicitation};
pub use error::{Error, Reason, Result};
pub use event::Event;
pub use extract::{Argument, FromCall, RequestMeta};
pub use form::FormError;
pub use handler::{Handler, Listener};
pub use handlers::Handlers;
pub use host::fs::LocalFs;
pub use host::overlay::{HostFile, Overlay};
pub use host::terminal::Terminal;
pub use host::terminals::LocalTerminals;
pub use list::SessionList;
pub use op::{OnSession, Op, Operation};
pub use open::{LoadSession, NewSession, Opening, ResumeSession};
pub use permission::{Choice, PermissionPolicy};
pub use reconnect::{AgentStatus, Reconnect, ReconnectingAgent, ReconnectingSession, Restart, reconnecting};
pub use registry::{Binary, Distribution, Package, Registry, RegistryAgent, RegistryError};
pub use replay::Replay;
pub use reply::IntoReply;
pub use router::Router;
pub use served::{Notified, PermissionAnswer, ServeOp, Served};
pub use session::{IntoPrompt, Session, Updates};
pub use terminal_login::TerminalLogin;
pub use transcript::{Change, Compaction, Entry, Message, MessageKind, ToolRun, Transcript};
pub use turn::Turn;
#[cfg(feature = "unstable")]
pub use unstable::ForkSession;
