//! The arguments of `acp mcp-shim`: there are none.

use clap::Command;

pub(super) const ABOUT: &str = "Is an MCP server of a proxy, for an agent that starts its servers";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    command
        .override_usage("acp mcp-shim")
        .after_help(
            "An agent under `acp conduct` starts it, as the conductor told the agent. It carries the messages of \
             MCP between the agent and the conductor. Address and token are in its environment, in \
             ACP_MCP_SHIM and ACP_MCP_SHIM_TOKEN.\n\n\
             Example, as the agent does it:\n  \
             ACP_MCP_SHIM=unix:/tmp/acp-mcp-1a2b/mcp ACP_MCP_SHIM_TOKEN=… acp mcp-shim\n\n\
             Exit status: 0 the agent or the conductor has gone, 1 the conductor could not be reached, 2 it was \
             not started by an agent.",
        )
}
