//! Write an [Agent Client Protocol](https://agentclientprotocol.com) agent as an impl block.
//!
//! ```no_run
//! use acp_agent::{Result, StopReason, Turn, agent};
//!
//! struct Echo;
//!
//! #[agent(name = "echo")]
//! impl Echo {
//!     async fn prompt(&self, turn: Turn) -> Result<StopReason> {
//!         for block in turn.prompt() {
//!             turn.send(block.clone()).await?;
//!         }
//!         Ok(StopReason::EndTurn)
//!     }
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<()> {
//!     acp_agent::serve_stdio(Echo).await
//! }
//! ```
//!
//! This is all of it. The library deals with initialization and version negotiation, session ids,
//! cancellation, capabilities, unknown methods and bad params, once, for every agent.
//!
//! * The [`guide`] goes through all of it, with an example for each part.
//! * [`macro@agent`] has the rules of the attribute: the operations, their arguments and results.
//! * [`Turn`] answers a prompt: with text, thoughts, plans, tool calls, questions, the client's
//!   files and terminals. Its page explains how turns are cancelled.
//! * [`Session`] and [`Opened`] hold the agent's state of a session. [`SessionUpdates`] sends
//!   updates of a session while no turn runs.
//! * [`Client`] is the other end: its name, its capabilities, extension calls.
//! * [`serve_stdio`] and [`serve`] run an agent. [`Router`] builds one without the macro.
//! * [`types`] are the types of the protocol.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `signal`, on by default | [`serve_stdio`] ends in good order on SIGTERM and SIGINT |
//! | `store` | `#[agent(store)]`: sessions survive the process |
//! | `mcp` | `#[agent(mcp)]`: the MCP servers of sessions are connected, over stdio; `mcp-http` and `mcp-sse` add transports |
//! | `workspace` | [`Turn::workspace`] and [`Turn::edit_file`]: files by the client, or below the session's directories |
//! | `shell` | [`Turn::shell`]: commands in the client's terminals, or as local children |
//! | `v2` | protocol version 2, a draft, beside version 1, for the same agent: the client chooses |
//! | `tracing` | spans of the crate `tracing`: see [`trace`] |
//! | `unstable` | what only the unstable schema has, without any promise |

mod ask;
mod client;
mod error;
mod facts;
mod generated;
#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("../GUIDE.md")]
pub mod guide {}
mod handler;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "mcp/off.rs"]
mod mcp;
pub mod op;
mod open;
mod serve;
mod session;
#[cfg(feature = "store")]
pub mod store;
#[cfg(not(feature = "store"))]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "the rest is the API of the feature")]
mod store;
mod turn;
mod updates;
mod wire;

/// Failures of the local disk, and the entries of its directories.
#[cfg(feature = "workspace")]
pub use acp_fs::{Entry, EntryKind, Error as DiskError, Listing};
/// A type that the handler of operation `O` can have as an argument, in any order. For an agent,
/// `Cx` is [`Scope`].
///
/// Every operation has its request, such as `SetSessionModeRequest`, and [`Client`], [`Cancel`] and
/// [`RequestMeta`]. These have more:
///
#[doc = include_str!("generated/arguments.md")]
///
/// A function with `#[ext]` has anything that is `DeserializeOwned`, which is read from the params,
/// an [`Elicitation`], and the session that the member `sessionId` names. A function with `#[on]`
/// and a marker of one's own has the params that the marker names, and an `Elicitation`. A function
/// with `#[command]` has what `prompt` has, and its input as a `String` or, in an `#[agent]` block,
/// as a `&str`.
#[doc(inline)]
pub use acp_handlers::FromCall;
/// The handler of operation `O` can return a `V` in its `Result`, if this holds for [`Scope`].
///
/// The response of an operation always is one, except where it opens a session. These are made into
/// a response:
///
#[doc = include_str!("generated/results.md")]
///
/// The hook `auth_methods` returns a `Vec<AuthMethod>`, and a function with `#[ext]` anything that
/// is `Serialize`. A function with `#[on]` and a marker of one's own returns the response that the
/// marker names.
#[doc(inline)]
pub use acp_handlers::Returns;
#[doc(inline)]
pub use acp_handlers::{Conflict, Handler, Listener, RequestMeta, Shared};
#[doc(hidden)]
pub use acp_handlers::{IntoError, assert_shared};
#[doc = include_str!("macro.md")]
pub use acp_macros::agent;
pub use acp_rpc::{
    CallError, CancellationToken, CloseReason, Error as RpcError, Fault, Options, Peer, Reply, Transport,
    layer, tap, trace,
};
pub use acp_types::method;
pub use acp_types::v1 as types;
pub use acp_types::v1::ext::{
    CommandNameError, ElicitationAnswer, FormError, FormProblem, Limit, PermissionAnswer, SessionUsage,
    Spent, TurnLimits,
};
pub use acp_types::v1::{ContentBlock, SessionId, StopReason, ToolCall};
pub use acp_types::{FromNode, Map, Meta, Value};

pub use crate::ask::elicitation::Elicitation;
pub use crate::ask::elicited::OpenedUrl;
pub use crate::ask::form::{Form, FormValues};
pub use crate::client::Client;
pub use crate::client::cancel::{CANCEL_GRACE, Cancel};
pub use crate::error::commands_error::CommandsError;
#[cfg(feature = "workspace")]
pub use crate::error::file_error::{FileAct, FileError, FileProblem};
#[cfg(feature = "shell")]
pub use crate::error::shell_error::{ShellError, ShellProblem};
pub use crate::error::{Error, Result};
pub use crate::facts::profile::{McpTransports, Profile, PromptContent};
pub use crate::generated::opening::*;
pub use crate::handler::agent::Agent;
pub use crate::handler::on_session::OnSession;
pub use crate::handler::router::Router;
pub use crate::handler::scope::{Argument, Call, Handlers, Scope};
#[cfg(feature = "mcp")]
pub use crate::mcp::Mcp;
pub use crate::op::{Op, Operation};
pub use crate::open::opened::Opened;
pub use crate::open::opening::Opening;
pub use crate::open::request::OpensSession;
pub use crate::serve::peek::peek_initialize;
pub use crate::serve::serve::{Serve, serve, serve_stdio, serve_with};
pub use crate::session::Session;
pub use crate::session::queue::PROMPT_QUEUE;
pub use crate::turn::Turn;
pub use crate::turn::command::SlashCommand;
#[cfg(feature = "workspace")]
pub use crate::turn::edit_file::{EditedFile, FileEdit};
#[cfg(feature = "workspace")]
pub use crate::turn::file_change::FileChange;
pub use crate::turn::fs::Fs;
pub use crate::turn::message::{IntoText, Message};
pub use crate::turn::plan::{PlanKey, RunningPlan};
#[cfg(feature = "shell")]
pub use crate::turn::shell::{Shell, ShellOutput};
pub use crate::turn::steering::{SteeringMessage, SteeringOffer};
pub use crate::turn::steering_queue::STEERING_BUDGET;
pub use crate::turn::terminal::{Terminal, TerminalCommand, Terminals};
pub use crate::turn::tool::RunningTool;
#[cfg(feature = "workspace")]
pub use crate::turn::workspace::Workspace;
pub use crate::updates::background::Background;
pub use crate::updates::cancellable::Cancellable;
pub use crate::updates::decisions::Permissions;
pub use crate::updates::session_updates::SessionUpdates;
#[cfg(feature = "v2")]
pub use crate::wire::raw::v2;
