//! A complete coding agent. It reads, searches and edits files, runs commands, and calls the tools
//! of the MCP servers that it is given. It uses the client's files and terminals where the client
//! offers them, and otherwise the local ones, so it works with every client. It asks before it
//! changes anything, and reports a plan and every tool call.
//!
//! Read it in this order:
//!
//! * [`agent`]: the protocol side, an `#[agent]` block with the loop of a prompt turn.
//! * [`planner`]: the interface between the agent and its planner, and the terms that both use.
//! * `tools`, `edit`, `command` and `mcp_tool`: they carry out actions in view of the user.
//! * [`chat`]: the state of a session. [`workspace`] and [`search`]: its folder.
//! * [`embedded`] with [`instruction`]: the planner without a model. [`openai`]: the planner with a
//!   model.

pub mod agent;
pub mod chat;
mod command;
mod edit;
pub mod embedded;
pub mod instruction;
mod mcp_tool;
#[cfg(feature = "openai")]
pub mod openai;
pub mod planner;
pub mod search;
mod tools;
pub mod workspace;

use acp_agent::{Result, serve_stdio};

use self::agent::CodingAgent;
use self::embedded::Embedded;

/// Serves the coding agent over stdin and stdout until the client closes them.
///
/// A language model plans if `OPENAI_BASE_URL` names a server that speaks the OpenAI
/// chat-completions protocol (`OPENAI_API_KEY` and `OPENAI_MODEL` are optional), else the embedded
/// planner.
///
/// # Errors
/// Fails if the environment variables are malformed, or if stdin and stdout cannot be used.
pub async fn serve() -> Result<()> {
    #[cfg(feature = "openai")]
    if let Some(model) = openai::OpenAi::from_env()? {
        return serve_stdio(CodingAgent::new(model)).await;
    }
    serve_stdio(CodingAgent::new(Embedded)).await
}
