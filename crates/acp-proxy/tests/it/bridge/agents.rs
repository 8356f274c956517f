//! Real agents: processes built with acp-agent, whose MCP client is that of acp-mcp.

use acp_agent::{Mcp, Result, StopReason, Turn, agent};
use acp_mcp::VersionPolicy;
use acp_proxy::{Conductor, McpBridge, Next, Proxy, Toward};
use acp_rpc::{Command, Transport};
use serde_json::{Value, json};

use super::scene::{bridge, notes};
use crate::common::{End, serve, soon};
use crate::programs;

/// The variable with the versions of MCP that the agent speaks.
const ERA: &str = "ACP_PROXY_TEST_ERA";

struct Caller(acp_agent::mcp::Options);

#[agent(name = "caller", mcp = self.0.clone())]
impl Caller {
    /// Calls the tool that the prompt names, with the prompt as its text.
    async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
        let name = turn.text();
        mcp.connected().await;
        for server in mcp.servers() {
            turn.say(format!("{:?}; ", server.state)).await?;
        }
        let outcome = mcp
            .call_tool(&turn, &name, acp_agent::Map::from([("text", acp_agent::Value::from("hi"))]))
            .await?;
        turn.say(outcome.text()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Is the agent, which never takes servers of the type `acp`.
pub(crate) fn agent() {
    let versions = match std::env::var(ERA).unwrap().as_str() {
        "legacy" => VersionPolicy::LegacyOnly,
        _ => VersionPolicy::Only(acp_mcp::rmcp::model::ProtocolVersion::V_2026_07_28),
    };
    let options = acp_agent::mcp::Options::new().configure(move |builder| builder.versions(versions.clone()));
    let without = Proxy::new("without").raw_request(Toward::Agent, "initialize", async |_, next: Next| {
        let reply = next.run().await;
        let mut result: Value = serde_json::from_str(reply.result().unwrap().as_str()).unwrap();
        result["agentCapabilities"]["mcpCapabilities"]["acp"] = false.into();
        acp_proxy::Reply::of(&result)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (here, there) = Transport::duplex();
        tokio::spawn(acp_agent::serve(Caller(options), there));
        let conductor = Conductor::new().mcp_bridge(McpBridge::off()).proxy(without).agent(here);
        let _ = conductor.serve_stdio().await;
    });
}

fn command(era: &str) -> Command {
    programs::component("mcp-agent", None).env(ERA, era)
}

/// Opens a session and calls a tool. Returns what the agent said.
async fn called(client: &mut End, tool: &str) -> String {
    client.ask(2, "session/new", json!({"cwd": "/", "mcpServers": []})).await;
    let session = soon("a session", client.result(2)).await["sessionId"].clone();
    let prompt = json!([{"type": "text", "text": tool}]);
    client.ask(3, "session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    let mut said = String::new();
    loop {
        let message = client.value().await;
        if message["id"] == 3 {
            assert_eq!(message["result"]["stopReason"], "end_turn", "{message} after {said:?}");
            return said.replace(session.as_str().unwrap(), "SESSION");
        }
        if message["method"] == "session/request_permission" {
            let option = &message["params"]["options"][0]["optionId"];
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
            client.answer(&message["id"], outcome).await;
            continue;
        }
        said.push_str(message["params"]["update"]["content"]["text"].as_str().unwrap_or_default());
    }
}

async fn initialized(conductor: Conductor) -> End {
    let (mut client, _serving) = serve(conductor);
    client.ask(1, "initialize", json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
    client.result(1).await;
    client
}

async fn a_tool_is_called(bridge: McpBridge, era: &str) {
    let conductor = Conductor::new().proxy(notes()).mcp_bridge(bridge).agent(command(era));
    let mut client = initialized(conductor).await;
    for _ in 0..2 {
        let said = called(&mut client, "notes__say").await;
        let version = if era == "legacy" { "2025-11-25" } else { "2026-07-28" };
        assert!(said.contains(version) && said.ends_with("\"hi\" in SESSION"), "{said}");
    }
    client.close().await;
}

/// px-mcp-05: an agent that knows only stdio calls the tool of a proxy, in the modern era of MCP.
#[tokio::test]
async fn a_modern_agent_calls_a_tool_over_stdio() {
    a_tool_is_called(bridge().without_http(), "modern").await;
}

/// px-mcp-05: the same in the legacy era.
#[tokio::test]
async fn a_legacy_agent_calls_a_tool_over_stdio() {
    a_tool_is_called(bridge().without_http(), "legacy").await;
}

/// px-mcp-05: the same over HTTP, in the modern era.
#[cfg(feature = "mcp-http")]
#[tokio::test]
async fn a_modern_agent_calls_a_tool_over_http() {
    a_tool_is_called(McpBridge::new(), "modern").await;
}

/// px-mcp-05: the same over HTTP, in the legacy era.
#[cfg(feature = "mcp-http")]
#[tokio::test]
async fn a_legacy_agent_calls_a_tool_over_http() {
    a_tool_is_called(McpBridge::new(), "legacy").await;
}

/// A proxy that is a process of the conductor offers its tools in the same way.
#[tokio::test]
async fn the_tool_of_a_process_is_called() {
    let proxy = programs::component("tools", None);
    let conductor = Conductor::new().process(proxy, acp_proxy::Policy::Required).mcp_bridge(bridge());
    let mut client = initialized(conductor.agent(command("legacy"))).await;
    assert!(called(&mut client, "notes__say").await.ends_with("\"hi\" in SESSION"));
    client.close().await;
}
