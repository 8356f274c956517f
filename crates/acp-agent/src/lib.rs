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
//!   files. How turns are cancelled is told there, too.
//! * [`Session`] and [`Opened`]: what the agent keeps for each session.
//! * [`Client`]: who is at the other end, what it offers, extension calls.
//! * [`serve_stdio`] and [`serve`] run an agent; [`Router`] builds one without the macro.
//! * [`types`] are the types of the protocol.

mod agent;
mod call;
mod cancel;
mod client;
mod connection;
mod error;
mod extract;
mod fs;
mod generated;
mod handler;
mod incoming;
mod lifecycle;
mod negotiate;
pub mod op;
mod opening;
mod opens;
mod permission;
mod profile;
mod prompt;
mod reply;
mod router;
mod serve;
mod session;
mod tool;
mod turn;

#[doc = include_str!("macro.md")]
pub use acp_macros::agent;
pub use acp_rpc::{CallError, CancellationToken, Delivery, Error as RpcError, Options, Transport};
pub use acp_types::Value;
pub use acp_types::v1 as types;
pub use acp_types::v1::{ContentBlock, StopReason, ToolCall};

pub use crate::agent::Agent;
pub use crate::call::{Call, Scope};
pub use crate::cancel::{CANCEL_GRACE, Cancel};
pub use crate::client::Client;
pub use crate::error::{Error, Result};
pub use crate::extract::{FromCall, RequestMeta};
pub use crate::fs::Fs;
pub use crate::handler::{Handler, Listener};
pub use crate::incoming::{Called, Incoming, IncomingNotification};
pub use crate::lifecycle::{Lifecycle, OnSession};
pub use crate::op::{Op, Operation};
pub use crate::opening::{LoadSession, NewSession, Opened, Opening, ResumeSession};
pub use crate::opens::Opens;
pub use crate::permission::Decision;
pub use crate::profile::{Extension, McpTransports, Operations, Profile, PromptContent};
pub use crate::reply::IntoReply;
pub use crate::router::Router;
pub use crate::serve::{serve, serve_stdio, serve_with};
pub use crate::session::Session;
pub use crate::tool::RunningTool;
pub use crate::turn::Turn;
