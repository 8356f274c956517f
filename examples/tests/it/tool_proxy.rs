//! The proxy that offers a tool, alone before an agent that knows only stdio. The proxy is started
//! once more, by the agent: as the shim of its own server.
//!
//! The agent is this test program, started again: `mcp_agent` behind a proxy that takes away what
//! the agent advertises of MCP.

use std::fs;
use std::path::Path;
use std::process::exit;

use acp_agent::RpcError as Error;
use acp_client::{Command, PermissionPolicy};
use acp_proxy::{Conductor, Json, McpBridge, Next, Proxy, Reply, Toward};
use serde_json::{Value, json};

/// The variable that makes this program the agent.
const ROLE: &str = "ACP_EXAMPLES_TEST_AGENT";

const PROXY: &str = env!("CARGO_BIN_EXE_tool_proxy");

#[tokio::test]
async fn the_proxy_is_the_shim_of_its_own_server() {
    let words = ["tool_proxy::agent_of_a_test", "--exact", "--nocapture", "--test-threads=1", "-q"];
    let command = Command::new(PROXY).arg("--").arg(std::env::current_exe().unwrap()).args(words);
    let connection = acp_client::spawn(command.env(ROLE, "1")).permissions(PermissionPolicy::allow_once());
    let agent = connection.await.unwrap();
    let session = agent.new_session(std::env::temp_dir()).await.unwrap();
    assert_eq!(ask(&session, "servers").await, "- `clock` speaks MCP 2026-07-28\n");
    let said = ask(&session, "clock__elapsed").await;
    assert!(said.ends_with(" seconds old"), "{said}");
    agent.close().await;
}

async fn ask(session: &acp_client::Session, prompt: &str) -> String {
    let mut turn = session.prompt(prompt).await.unwrap();
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.extend(event.text());
    }
    turn.finish().await.unwrap();
    said
}

/// Is the agent of the test above. Without its variable it does nothing.
#[test]
fn agent_of_a_test() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let conductor = Conductor::new().mcp_bridge(McpBridge::off()).proxy(only_stdio());
    let agent = Command::new(env!("CARGO_BIN_EXE_mcp_agent"));
    let ended = runtime.block_on(conductor.agent(agent).serve_stdio());
    exit(i32::from(ended.is_err()));
}

/// Takes servers as processes only, and only those that are the proxy without arguments.
fn only_stdio() -> Proxy {
    Proxy::new("only_stdio")
        .raw_request(Toward::Agent, "initialize", async |_, next: Next| {
            let reply = next.run().await;
            let mut result: Value = serde_json::from_str(reply.result().unwrap().as_str()).unwrap();
            result["agentCapabilities"]["mcpCapabilities"] = json!({});
            Reply::of(&result)
        })
        .raw_request(Toward::Agent, "session/new", async |params: Json, next: Next| {
            let params: Value = serde_json::from_str(params.as_str()).unwrap();
            let server = &params["mcpServers"][0];
            let is_proxy = server["command"].as_str().is_some_and(|command| is_same(command, PROXY));
            if !is_proxy || server["args"] != json!([]) {
                return Reply::from(Error::invalid_params(format!("this is not the proxy: {server}")));
            }
            next.run().await
        })
}

fn is_same(one: impl AsRef<Path>, other: impl AsRef<Path>) -> bool {
    fs::canonicalize(one).unwrap() == fs::canonicalize(other).unwrap()
}
