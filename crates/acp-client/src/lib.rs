//! Drives any [Agent Client Protocol](https://agentclientprotocol.com) agent: starts it, opens
//! sessions, sends prompts and answers its requests.
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
//! * The [`guide`] goes through all of it, with an example for each part.
//! * [`spawn`] and [`connect`] initialize and negotiate; awaiting them gives an [`Agent`].
//! * A [`Session`] is a conversation, a [`Turn`] one prompt in it: a stream of [`Event`]s, then the
//!   response.
//! * The agent's requests are answered by [`Client`]s: [`LocalFs`], [`LocalTerminals`],
//!   [`PermissionPolicy`], or your own, as a [`#[client]`](macro@client) block or a [`Router`].
//!   Exactly the methods that they serve are offered to the agent.
//! * A [`Transcript`] folds the events into the state to show, and says what has changed.
//! * [`reconnecting`] starts an agent again after it has died, and takes up its sessions again. A
//!   [`Registry`] is a list of agents, with the command that starts each.
//! * A call that needs a capability which the agent did not offer fails at once and names the
//!   capability. Nothing is sent.
//!
//! Everything runs on a tokio runtime, in the caller's threads.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `pty` | commands of agents on a terminal of their own, on unix |
//! | `tracing` | spans of the crate `tracing`: see [`trace`] |
//! | `unstable` | what only the unstable schema has, without any promise |
//! | `v2` | version 2 of the protocol, a draft, beside version 1 |
//! | `mcp` | MCP servers made with rmcp are provided to the agent over the connection; brings `unstable` |

mod agent;
mod connect;
mod error;
mod event;
mod generated;
#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("../GUIDE.md")]
pub mod guide {}
mod launch;
pub mod op;
mod parts;
mod reconnect;
mod serve;
mod sessions;
mod transcript;
mod wire;

/// A type that the handler of operation `O` can have as an argument, in any order. For a client,
/// `Cx` is [`Context`].
///
/// Every operation has its request, such as `ReadTextFileRequest`, and [`Agent`], [`Cancel`],
/// [`RequestMeta`] and [`Context`]. These have more:
///
#[doc = include_str!("generated/arguments.md")]
///
/// A function with `#[ext]` has anything that is `DeserializeOwned`, which is read from the params.
/// A function with `#[on]` and a marker of one's own has the params that the marker names.
#[doc(inline)]
pub use acp_handlers::FromCall;
/// The handler of operation `O` can return a `V` in its `Result`, if this holds for [`Context`].
///
/// The response of an operation always is one. These are made into a response:
///
#[doc = include_str!("generated/results.md")]
///
/// A function with `#[ext]` returns anything that is `Serialize`. A function with `#[on]` and a
/// marker of one's own returns the response that the marker names.
#[doc(inline)]
pub use acp_handlers::Returns;
#[doc(inline)]
pub use acp_handlers::{Handler, Listener, OnSession, RequestMeta, Shared};
#[doc(hidden)]
pub use acp_handlers::{IntoError, assert_shared};
#[doc = include_str!("macro.md")]
pub use acp_macros::client;
/// MCP servers made with rmcp, for [`Connect::client`](Connect::client): see [`acp_mcp`].
#[cfg(feature = "mcp")]
pub use acp_mcp::{self, McpProvider};
pub use acp_rpc::{
    CallError, Child, CloseReason, Command, Error as RpcError, Exit, Options, Peer, Reply, Source, Transport,
    TransportParts, layer, tap, trace,
};
/// The types of the protocol, by the name that they have in `acp_agent` as well.
pub use acp_types::v1 as types;
pub use acp_types::v1::ext::{
    ElicitationAnswer, FormError, FormProblem, PermissionAnswer, SessionUsage, Spent, SteerOutcome,
    SteerReason, SteerResponse, StoreProblem,
};
pub use acp_types::v1::{ContentBlock, ProtocolVersion, SessionId, StopReason, ToolCall};
pub use acp_types::{FromNode, Map, Maybe, Meta, ReadError, UnknownVariant, Value, method, v1};

pub use agent::agent::Agent;
pub use agent::list::SessionList;
pub use agent::session::config::IntoConfigValue;
#[cfg(feature = "unstable")]
pub use agent::session::fork::ForkSession;
pub use agent::session::limits::TurnLimits;
pub use agent::session::open::{LoadSession, NewSession, Opening, ResumeSession};
pub use agent::session::prompt::IntoPrompt;
pub use agent::session::replay::Replay;
pub use agent::session::response::TurnResponse;
pub use agent::session::session::{Session, Updates};
pub use agent::session::steer::Steer;
pub use agent::session::turn::Turn;
#[cfg(feature = "v2")]
pub use connect::known_versions::KnownVersions;
pub use connect::{Connect, connect, spawn};
pub use error::{Error, Limit, Reason, Result};
pub use event::{
    BackgroundWork, Cleared, Event, FileChange, FileChanges, FileOperation, FilePatch, MessageKind,
    PermissionQuestion, PermissionSubject, PlanContent, State, StateKind, TerminalChange, TerminalExit,
    TerminalSize, TerminalUpdate, ToolCallMember,
};
pub use launch::registry::{Binary, Distribution, Package, Registry, RegistryAgent, RegistryError};
pub use launch::terminal_login::TerminalLogin;
pub use op::{Op, Operation};
pub use parts::elicitation::Elicitation;
pub use parts::fs::local_fs::LocalFs;
pub use parts::fs::overlay::{HostFile, Overlay};
pub use parts::permission::PermissionPolicy;
pub use parts::terminals::local_terminals::LocalTerminals;
pub use parts::terminals::terminal::Terminal;
pub use reconnect::{AgentStatus, Reconnect, ReconnectingAgent, ReconnectingSession, Restart, reconnecting};
pub use serve::call::{Argument, Call};
pub use serve::cancel::Cancel;
pub use serve::client::Client;
pub use serve::context::Context;
pub use serve::elicitation::question::{FormElicitation, UrlElicitation};
pub use serve::handlers::Handlers;
pub use serve::router::Router;
pub use serve::serve_op::PermissionReply;
pub use transcript::{
    Change, Compaction, DisplayTerminal, Entry, Message, NamedPlan, ToolRun, Transcript, sanitize,
};
