//! A chain with a bridge, whose agent is lines that a test writes and reads, and clients of MCP.

use std::process::Stdio;

use acp_proxy::{ConductError, Conductor, McpBridge, McpCall, Proxy};
use acp_rpc::Error;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::common::{End, end, serve, soon};

pub(super) const MODERN: &str = "2026-07-28";
pub(super) const LEGACY: &str = "2025-11-25";

/// A bridge whose shim is this test program.
pub(super) fn bridge() -> McpBridge {
    let shim = McpBridge::new().shim(std::env::current_exe().unwrap());
    ["programs::component_of_a_test", "--exact", "--nocapture", "--test-threads=1", "-q"]
        .iter()
        .fold(shim, McpBridge::shim_argument)
}

/// A proxy that offers a server of the modern era.
pub(crate) fn notes() -> Proxy {
    Proxy::new("notebook").mcp_server("notes", |call: McpCall| async move {
        let params: Value = call.params.map(|params| serde_json::from_str(params.as_str()).unwrap()).unwrap_or_default();
        let meta = &params["_meta"];
        if meta["io.modelcontextprotocol/protocolVersion"] != MODERN {
            return Err(Error::new(-32022, "unsupported version").with_data(acp_json::Value::new(&json!({"supported": [MODERN]})).unwrap()));
        }
        match call.method.as_str() {
            "server/discover" => Ok(json!({
                "resultType": "complete", "supportedVersions": [MODERN], "capabilities": {"tools": {}},
                "instructions": "Write it down.", "ttlMs": 0, "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "notebook", "version": "7"}},
            })),
            "tools/list" => {
                let tool = |name: &str| json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
                Ok(json!({
                    "resultType": "complete", "tools": [tool("say"), tool("ask")],
                    "ttlMs": 0, "cacheScope": "private",
                }))
            }
            "tools/call" if params["name"] == "ask" => Ok(match params.get("inputResponses") {
                None => json!({
                    "resultType": "input_required", "requestState": "one",
                    "inputRequests": {"name": {"method": "elicitation/create", "params": {"message": "Who?"}}},
                }),
                Some(responses) => json!({
                    "resultType": "complete",
                    "content": [{"type": "text", "text": format!("{responses} {}", params["requestState"])}],
                }),
            }),
            "tools/call" => {
                let text = format!("{} in {}", params["arguments"]["text"], call.session.unwrap_or_default());
                Ok(json!({"resultType": "complete", "content": [{"type": "text", "text": text}], "_meta": {"x": meta["x"]}}))
            }
            method => Err(Error::method_not_found(method)),
        }
    })
}

/// A chain, and the ends of it that a test plays.
pub(super) struct Scene {
    pub(super) client: End,
    pub(super) agent: End,
    pub(super) serving: JoinHandle<Result<(), ConductError>>,
}

impl Scene {
    /// Starts a chain whose agent has these capabilities of MCP, and initializes it.
    pub(super) async fn start(conductor: Conductor, mcp: Value) -> Self {
        let (transport, mut agent) = end();
        let (mut client, serving) = serve(conductor.agent(transport).named("a"));
        client.ask("init", "initialize", json!({"protocolVersion": 1})).await;
        let (id, _) = agent.request("initialize").await;
        let answer = json!({"protocolVersion": 1, "agentCapabilities": {"mcpCapabilities": mcp}});
        agent.answer(&id, answer).await;
        let result = client.result("init").await;
        assert_eq!(result["agentCapabilities"]["mcpCapabilities"]["acp"], true);
        Self { client, agent, serving }
    }

    /// Opens a session, and returns the declarations of its servers.
    pub(super) async fn open(&mut self, session: &str) -> Vec<Value> {
        self.client.ask(session, "session/new", json!({"cwd": "/", "mcpServers": []})).await;
        let (id, params) = self.agent.request("session/new").await;
        self.agent.answer(&id, json!({"sessionId": session})).await;
        self.client.result(session).await;
        params["mcpServers"].as_array().unwrap().clone()
    }
}

/// An MCP client and the shim that it has started.
pub(super) struct Shim {
    pub(super) child: Child,
    pub(super) stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Shim {
    /// Starts the server of a declaration, as an agent does.
    pub(super) fn start(declaration: &Value) -> Self {
        let words = declaration["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
        let env = declaration["env"].as_array().unwrap().iter();
        let env = env.map(|one| (one["name"].as_str().unwrap(), one["value"].as_str().unwrap()));
        let mut child = Command::new(declaration["command"].as_str().unwrap())
            .args(words)
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, stdin, stdout }
    }

    pub(super) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        soon("room to write", self.stdin.write_all(line.as_bytes())).await.unwrap();
    }

    pub(super) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})).await;
    }

    /// Returns the next message, or `None` at the end. The test program says a few words before.
    pub(super) async fn last(&mut self) -> Option<Value> {
        loop {
            let line = soon("a line of the shim", self.stdout.next_line()).await.unwrap()?;
            if line.starts_with('{') {
                return Some(serde_json::from_str(&line).unwrap());
            }
        }
    }

    pub(super) async fn value(&mut self) -> Value {
        self.last().await.expect("the shim has ended")
    }

    pub(super) async fn result(&mut self, id: impl Into<Value>) -> Value {
        let mut value = self.value().await;
        assert_eq!(value["id"], id.into(), "{value}");
        assert!(value.get("error").is_none(), "{value}");
        value["result"].take()
    }

    pub(super) async fn error(&mut self, id: impl Into<Value>) -> Value {
        let mut value = self.value().await;
        assert_eq!(value["id"], id.into(), "{value}");
        value["error"].take()
    }

    /// Begins as a client of the legacy era.
    pub(super) async fn initialize(&mut self) -> Value {
        self.ask(0, "initialize", introduction(LEGACY)).await;
        let result = self.result(0).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        result
    }

    /// Closes the input, and waits for the end of the process.
    pub(super) async fn close(mut self) -> std::process::ExitStatus {
        drop(self.stdin);
        while let Ok(Some(_)) = soon("the end of the shim", self.stdout.next_line()).await {}
        soon("the exit of the shim", self.child.wait()).await.unwrap()
    }
}

/// The params of `initialize`.
pub(super) fn introduction(version: &str) -> Value {
    json!({
        "protocolVersion": version, "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "tests", "version": "0"},
    })
}

/// Params of the modern era.
pub(super) fn modern(params: Value) -> Value {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params
}

/// The call of a tool that says a text.
pub(super) fn say(text: &str) -> Value {
    json!({"name": "say", "arguments": {"text": text}})
}
