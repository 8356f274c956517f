//! A proxy that offers a tool to any agent: it tells the time that a session has been open. The
//! agent takes it for a tool of an MCP server, whether it knows stdio, HTTP or neither of them.
//!
//! ```sh
//! acp prompt 'How long have we talked?' -- tool_proxy -- any-agent --acp
//! acp conduct tool_proxy -- any-agent --acp
//! ```

use std::time::Instant;

use acp_agent::RpcError as Error;
use acp_proxy::{ConductError, McpCall, Proxy};
use serde_json::{Value, json};

/// Answers a request of MCP. Requests come one by one, without a handshake: MCP of 2026-07-28.
/// Clients of earlier versions are served by the conductor.
fn answer(call: &McpCall, begin: Instant) -> Result<Value, Error> {
    match call.method.as_str() {
        "server/discover" => Ok(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 3_600_000, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "clock", "version": "1"}},
        })),
        "tools/list" => Ok(json!({
            "resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "private",
            "tools": [{
                "name": "elapsed",
                "description": "Tells how long the conversation has been going on.",
                "inputSchema": {"type": "object"},
            }],
        })),
        "tools/call" => {
            let session = call.session.as_deref().unwrap_or("this session");
            let text = format!("{session} is {} seconds old", begin.elapsed().as_secs());
            Ok(json!({"resultType": "complete", "content": [{"type": "text", "text": text}]}))
        }
        method => Err(Error::method_not_found(method)),
    }
}

fn proxy() -> Proxy {
    let begin = Instant::now();
    Proxy::new("tool_proxy").mcp_server("clock", move |call: McpCall| async move { answer(&call, begin) })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ConductError> {
    // Behind `--` is an agent. Without one, a conductor has started this program.
    proxy().run(std::env::args_os().skip(1)).await
}
