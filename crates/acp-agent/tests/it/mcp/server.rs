//! An MCP server that follows the orders of the test. It is this test program, started as a child
//! process.
//!
//! It speaks the version with a handshake, and answers the probe for other versions like servers of
//! that version.

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

/// Two variables of the child process: the mode of the server, and a file. The server writes its
/// process id there when it ends.
const MODE: &str = "ACP_MCP_TEST_MODE";
const ENDED: &str = "ACP_MCP_TEST_ENDED";

/// Runs in the child processes: serves until the input ends.
#[test]
fn run() {
    let Ok(mode) = std::env::var(MODE) else { return };
    let mut server = Server { mode, ..Server::default() };
    for line in std::io::stdin().lock().lines() {
        server.receive(&serde_json::from_str(&line.unwrap()).unwrap());
    }
    if let Some(file) = std::env::var_os(ENDED) {
        std::fs::write(file, std::process::id().to_string()).unwrap();
    }
    // Exit here, so that the test harness prints nothing more.
    std::process::exit(0);
}

/// An entry of `mcpServers` for such a server.
pub(crate) fn entry(name: &str, mode: &str, ended: Option<&std::path::Path>) -> Value {
    let mut env = vec![json!({"name": MODE, "value": mode})];
    env.extend(ended.map(|file| json!({"name": ENDED, "value": file})));
    json!({
        "name": name,
        "command": std::env::current_exe().unwrap(),
        "args": ["--exact", "mcp::server::run", "--nocapture"],
        "env": env,
    })
}

#[derive(Default)]
struct Server {
    mode: String,
    /// The methods of the received messages.
    heard: Vec<Value>,
    /// The capabilities that the client has declared.
    capabilities: Value,
    is_logged_in: bool,
    /// The call that each question belongs to.
    asking: HashMap<u64, Value>,
}

impl Server {
    fn receive(&mut self, message: &Value) {
        let id = &message["id"];
        let Some(method) = message["method"].as_str() else {
            // An answer to a question becomes the result of the call. A page is complete.
            if let Some(call) = id.as_u64().and_then(|id| self.asking.remove(&id)) {
                let params = json!({"elicitationId": "page-1"});
                send(&json!({
                    "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params,
                }));
                result(&call, &text(&message["result"].to_string()));
            }
            return;
        };
        self.heard.push(json!(method));
        match (self.mode.as_str(), method) {
            ("silent", _) => {}
            ("exit", _) => {
                eprintln!("no such database");
                std::process::exit(3);
            }
            (_, "initialize") => {
                self.capabilities = message["params"]["capabilities"].clone();
                let info = json!({"name": "scripted", "version": "1"});
                result(
                    id,
                    &json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}),
                );
            }
            ("no_tools", "tools/list") => error(id, -32603, "the tools are gone"),
            (_, "tools/list") => result(id, &json!({"tools": tools()})),
            (_, "tools/call") => self.call(id, &message["params"]),
            _ if id.is_null() => {}
            _ => error(id, -32601, "no such method"),
        }
    }

    fn ask(&mut self, call: &Value, params: &Value) {
        let question = self.asking.len() as u64;
        self.asking.insert(question, call.clone());
        send(&json!({"jsonrpc": "2.0", "id": question, "method": "elicitation/create", "params": params}));
    }

    fn call(&mut self, id: &Value, params: &Value) {
        match params["name"].as_str().unwrap() {
            "echo" => result(id, &text(&params["arguments"].to_string())),
            "where" => result(id, &text(&std::env::current_dir().unwrap().display().to_string())),
            "heard" => result(id, &text(&json!(self.heard).to_string())),
            "capabilities" => result(id, &text(&self.capabilities.to_string())),
            "fail" => {
                result(id, &json!({"content": [{"type": "text", "text": "it broke"}], "isError": true}))
            }
            "refuse" => error(id, -32602, "wrong arguments"),
            "all" => result(id, &everything()),
            "slow" => {
                let progress = json!({
                    "progressToken": params["_meta"]["progressToken"],
                    "progress": 1, "total": 4, "message": "looking",
                });
                send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}));
            }
            "ask" => {
                let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
                self.ask(id, &json!({"message": "Who are you?", "requestedSchema": schema}));
            }
            "visit" => {
                let url = "https://example.com/login";
                let params =
                    json!({"mode": "url", "message": "Log in", "url": url, "elicitationId": "page-1"});
                self.ask(id, &params);
            }
            // The page is complete when the tool is called again.
            "login" if self.is_logged_in => {
                let params = json!({"elicitationId": "page-2"});
                send(&json!({
                    "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params,
                }));
                result(id, &text("logged in"));
            }
            "login" => {
                self.is_logged_in = true;
                let url = "https://example.com/login?token=secret";
                let page = json!({"mode": "url", "elicitationId": "page-2", "url": url, "message": "Log in"});
                let error = json!({"code": -32042, "message": "log in", "data": {"elicitations": [page]}});
                send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            name => error(id, -32602, &format!("no tool {name}")),
        }
    }
}

/// Content of every kind, a structured result, and unknown members.
pub(crate) fn everything() -> Value {
    json!({
        "content": [
            {"type": "text", "text": "a", "_meta": {"x": 1}},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}},
        ],
        "structuredContent": {"b": 1, "a": [null, 1.5]},
        "isError": false,
    })
}

fn tools() -> Vec<Value> {
    let names =
        ["echo", "where", "heard", "capabilities", "fail", "refuse", "all", "slow", "ask", "visit", "login"];
    let tool = |name: &str| {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        json!({"name": name, "title": format!("The {name} tool"), "description": "A tool", "inputSchema": schema})
    };
    names.map(tool).to_vec()
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn result(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn error(id: &Value, code: i64, message: &str) {
    send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
}

fn send(message: &Value) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{message}").unwrap();
    stdout.flush().unwrap();
}
