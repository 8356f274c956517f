//! `acp mcp-shim`: an MCP server of a proxy, for an agent that starts its servers.

use crate::outcome::{Failure, exit, tell};

/// Carries messages until one side has gone, and returns the exit code.
pub(crate) fn run() -> Result<u8, Failure> {
    match acp_proxy::shim_main() {
        Some(ended) => {
            ended?;
            Ok(exit::DONE)
        }
        None => {
            tell(
                "acp: `acp mcp-shim` is started by an agent under `acp conduct`, with ACP_MCP_SHIM in its \
                 environment: start `acp conduct PROXY -- AGENT` instead. An agent that starts it has to pass \
                 the variables of the server on",
            );
            Ok(exit::USAGE)
        }
    }
}
