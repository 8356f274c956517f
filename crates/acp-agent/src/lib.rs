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
//! This is all of it: initialization and version negotiation, session ids, cancellation, capabilities, unknown
//! methods and bad params are dealt with before and after the handlers, once, for every agent.
//!
//! * [`macro@agent`] has the rules of the attribute: the operations, their arguments and results.
//! * [`Turn`] is what a prompt is answered with: text, thoughts, plans, tool calls, questions, the client's
//!   files and terminals. How turns are cancelled is told there, too.
//! * [`Session`] and [`Opened`]: what the agent keeps for each session; [`SessionUpdates`]: what it tells about one
//!   while no turn runs.
//! * [`Client`]: who is at the other end, what it offers, extension calls.
//! * [`serve_stdio`] and [`serve`] run an agent; [`Router`] builds one without the macro.
//! * [`types`] are the types of the protocol.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `signal`, on by default | [`serve_stdio`] ends in good order on SIGTERM and SIGINT |
//! | `store` | `#[agent(store)]`: sessions survive the process |
//! | `mcp` | `#[agent(mcp)]`: the MCP servers of sessions are connected, over stdio; `mcp-http` and `mcp-sse` add transports |
//! | `tracing` | spans of the crate `tracing`: see [`trace`] |
//! | `unstable` | what only the unstable schema has, without any promise |

mod agent;
mod call;
mod cancel;
mod client;
mod connection;
mod elicit;
mod elicitation;
mod error;
mod extract;
mod form;
mod fs;
mod gate;
mod generated;
mod handler;
mod incoming;
mod leaving;
mod lifecycle;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(not(feature = "mcp"))]
#[path = "no_mcp.rs"]
mod mcp;
mod message;
mod negotiate;
mod offered;
pub mod op;
mod opened;
mod opening;
mod opens;
mod paths;
mod permission;
mod permissions;
mod profile;
mod prompt;
mod reply;
mod router;
mod rows;
mod running_plan;
mod serve;
mod session;
mod session_updates;
mod sessions;
mod settings;
mod signal;
#[cfg(feature = "store")]
pub mod store;
#[cfg(not(feature = "store"))]
#[path = "no_store.rs"]
mod store;
mod terminal;
mod tool;
mod turn;
mod turns;
mod unique;
mod verbs;

#[doc = include_str!("macro.md")]
pub use acp_macros::agent;
pub use acp_rpc::{
    CallError, CancellationToken, CloseReason, Delivery, Error as RpcError, Fault, Options, Peer, Reply,
    Request, Task, Transport, layer, tap, trace,
};
pub use acp_types::method;
pub use acp_types::v1 as types;
pub use acp_types::v1::{ContentBlock, StopReason, ToolCall};
pub use acp_types::{FromNode, Map, Meta, Value};

pub use crate::agent::Agent;
pub use crate::call::{Call, Scope};
pub use crate::cancel::{CANCEL_GRACE, Cancel};
pub use crate::client::Client;
pub use crate::elicit::{Elicited, OpenedUrl};
pub use crate::elicitation::Elicitation;
pub use crate::error::{Error, Result};
pub use crate::extract::{FromCall, RequestMeta};
pub use crate::form::{Form, FormValues};
pub use crate::fs::Fs;
pub use crate::generated::opening::*;
pub use crate::handler::{Handler, Listener};
pub use crate::incoming::{Called, Incoming, IncomingNotification};
pub use crate::lifecycle::{Lifecycle, Notified, OnSession};
#[cfg(feature = "mcp")]
pub use crate::mcp::Mcp;
pub use crate::message::{IntoText, Message};
pub use crate::op::{Op, Operation};
pub use crate::opened::Opened;
pub use crate::opening::Opening;
pub use crate::opens::Opens;
pub use crate::permission::Decision;
pub use crate::permissions::Permissions;
pub use crate::profile::{Extension, McpTransports, Operations, Profile, PromptContent};
pub use crate::reply::IntoReply;
pub use crate::router::Router;
pub use crate::running_plan::{PlanKey, RunningPlan};
pub use crate::serve::{Serve, serve, serve_stdio, serve_with};
pub use crate::session::Session;
pub use crate::session_updates::SessionUpdates;
pub use crate::terminal::{Command, Terminal, Terminals};
pub use crate::tool::RunningTool;
pub use crate::turn::Turn;
pub use crate::turns::PROMPT_QUEUE;
