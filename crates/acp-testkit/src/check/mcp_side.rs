//! An MCP server: a program that an agent under check starts, and that tells the checker so.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};

use super::loopback::greet;

/// The most bytes that an agent may send to its server.
const LIMIT: u64 = 16 * 1024 * 1024;

/// Plays an MCP server without tools, which an agent has started, until its stdin ends. With the
/// first message it tells the checker at this address that the agent has connected to the server of
/// this name.
///
/// [`Options::mcp_server`](super::Options::mcp_server) is a program that calls it.
///
/// # Errors
/// Fails if the checker is not there, or if a stream breaks.
pub async fn mcp_side(
    [address, token, name]: [&str; 3],
    stdin: impl AsyncRead + Unpin,
    mut stdout: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut lines = BufReader::new(stdin.take(LIMIT)).lines();
    let mut is_told = false;
    while let Some(line) = lines.next_line().await? {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(method) = message.get("method").and_then(Value::as_str) else { continue };
        if !is_told {
            greet(address, &json!({"token": token, "server": name})).await?;
            is_told = true;
        }
        if let Some(id) = message.get("id") {
            let answer = answer(id, method, message.get("params").unwrap_or(&Value::Null));
            stdout.write_all(format!("{answer}\n").as_bytes()).await?;
            stdout.flush().await?;
        }
    }
    Ok(())
}

fn answer(id: &Value, method: &str, params: &Value) -> Value {
    let result = match method {
        "initialize" => {
            // It has nothing that differs between the versions.
            let version = params.get("protocolVersion").cloned().unwrap_or_else(|| "2025-06-18".into());
            let server = json!({"name": "acp-check", "version": env!("CARGO_PKG_VERSION")});
            json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server})
        }
        "tools/list" => json!({"tools": []}),
        "ping" => json!({}),
        _ => {
            let error = json!({"code": -32601, "message": "the server of the checker has no such method"});
            return json!({"jsonrpc": "2.0", "id": id, "error": error});
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}
