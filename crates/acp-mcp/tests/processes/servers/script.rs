//! Servers that follow a script: each mode is one thing that a server has been seen to do.

use std::fs::OpenOptions;
use std::io::{BufRead as _, Write as _};
use std::process::exit;

use serde_json::{Value, json};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// Serves on stdin and stdout; the log gets each line that comes in.
pub fn serve(mode: &str, log: &str) {
    let path = log;
    if mode == "talks" {
        eprintln!("line 0");
    }
    let mut log = OpenOptions::new().create(true).append(true).open(path).unwrap();
    let mut state = State { mode, path, unanswered_probe: Value::Null, listener: Value::Null };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        // One write, so that processes do not write into each other's lines.
        log.write_all(format!("{line}\n").as_bytes()).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        state.on(&message);
    }
    if mode == "stubborn" {
        loop {
            std::thread::park();
        }
    }
}

struct State<'a> {
    mode: &'a str,
    /// The log, of all processes of this server.
    path: &'a str,
    /// The requests that listen to changes.
    listener: Value,
    unanswered_probe: Value,
}

fn say(message: &Value) {
    println!("{message}");
}

fn result(id: &Value, result: Value) {
    say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

fn error(id: &Value, code: i32, data: Value) {
    let mut error = json!({ "code": code, "message": "scripted" });
    if !data.is_null() {
        error["data"] = data;
    }
    say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
}

fn discovered(id: &Value, versions: &[&str]) {
    // Without `ttlMs` and `cacheScope`, as some do.
    result(
        id,
        json!({ "resultType": "complete", "supportedVersions": versions, "capabilities": { "tools": {} } }),
    );
}

fn initialized(id: &Value, version: &str) {
    let info = json!({ "name": "scripted", "version": "1" });
    result(
        id,
        json!({ "protocolVersion": version, "capabilities": { "tools": { "listChanged": true } }, "serverInfo": info }),
    );
}

fn unsupported(id: &Value, code: i32, versions: &[&str]) {
    error(id, code, json!({ "supported": versions, "requested": NEW }));
}

impl State<'_> {
    fn on(&mut self, message: &Value) {
        let id = &message["id"];
        if self.mode == "noise" {
            println!("Listening …\n\n{{ not json\n[1]\n{{\"id\":77}}");
        }
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" => self.discover(id),
            "initialize" => self.initialize(id, &message["params"]["protocolVersion"]),
            "tools/list" => self.list(id),
            "tools/call" => self.call(message),
            "subscriptions/listen" => {
                self.listener = id.clone();
                self.tell("notifications/subscriptions/acknowledged");
            }
            _ => {}
        }
    }

    fn discover(&mut self, id: &Value) {
        match self.mode {
            "exit-on-probe" => {
                eprintln!("expected initialize first");
                exit(1)
            }
            "last-words" => {
                for line in 0..2000 {
                    eprintln!("line {line} of many");
                }
                eprintln!("the last word");
                exit(3)
            }
            "silent" | "deaf" => {}
            "slow" | "slow-modern" | "bound" if self.unanswered_probe.is_null() => {
                self.unanswered_probe = id.clone()
            }
            "bound" | "modern" | "rude-modern" => discovered(id, &[NEW]),
            "telling" => {
                let tools = json!({ "tools": { "listChanged": true } });
                result(
                    id,
                    json!({ "resultType": "complete", "supportedVersions": [NEW], "capabilities": tools }),
                );
            }
            "null-id" => error(&Value::Null, -32600, Value::Null),
            "empty-result" => result(id, json!({})),
            "no-list" => error(id, -32022, Value::Null),
            "refuses-modern" => unsupported(id, -32022, &["2025-06-18", OLD]),
            "lists-legacy" => discovered(id, &["2025-06-18", "2024-11-05"]),
            "before-release" => unsupported(id, -32004, &[OLD]),
            "needs-roots" => error(id, -32021, json!({ "requiredCapabilities": { "roots": {} } })),
            "far-future" => unsupported(id, -32022, &["2099-01-01"]),
            _ => error(id, -32601, Value::Null),
        }
    }

    fn initialize(&mut self, id: &Value, asked: &Value) {
        match self.mode {
            "deaf" => {}
            // The late answer comes before the client can use it.
            "slow" => {
                error(&self.unanswered_probe, -32601, Value::Null);
                initialized(id, OLD);
            }
            "slow-modern" => {
                discovered(&self.unanswered_probe, &[NEW]);
                unsupported(id, -32022, &[NEW]);
            }
            "bound" | "modern" => unsupported(id, -32022, &[NEW]),
            // All other messages are refused.
            "strict" if asked != OLD => error(id, -32602, Value::Null),
            "lists-legacy" => initialized(id, asked.as_str().unwrap()),
            "unknown-version" => initialized(id, "2023-01-01"),
            "claims-modern" => initialized(id, NEW),
            "oldest" => initialized(id, "2024-11-05"),
            _ => initialized(id, OLD),
        }
    }

    fn list(&self, id: &Value) {
        if self.mode == "flood" {
            // It prints until nobody reads any more. Then printing panics, and the thread ends.
            std::thread::spawn(|| {
                loop {
                    println!("still here");
                    say(
                        &json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "x" } }),
                    );
                }
            });
        }
        if self.mode == "rude-modern" {
            say(&json!({ "jsonrpc": "2.0", "id": "mine", "method": "roots/list" }));
        }
        if self.mode == "no-tools-today" {
            return error(id, -32603, Value::Null);
        }
        let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
        let mut page = json!({ "tools": [tool("echo"), tool("crash"), tool("big"), tool("odd"), tool("change"), tool("hang"), tool("mismatch"), tool("moved")] });
        if self.mode == "talks" {
            page["tools"] = json!([tool("talk"), tool("crash")]);
        }
        if ["modern", "rude-modern", "telling"].contains(&self.mode) {
            page["resultType"] = json!("complete");
        }
        result(id, page);
    }

    /// Sends a notification to a listener of a modern server.
    fn tell(&self, method: &str) {
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": self.listener });
        let params = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
        say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Returns true for the first call of a tool, over all processes of the server.
    fn is_first(&self, tool: &str) -> bool {
        let log = std::fs::read_to_string(self.path).unwrap();
        let is_it = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["params"]["name"] == tool;
        log.lines().filter(is_it).count() == 1
    }

    fn call(&self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let text = |text: &str| result(id, json!({ "content": [{ "type": "text", "text": text }] }));
        match params["name"].as_str().unwrap() {
            "crash" => {
                eprintln!("crashing as told");
                exit(7)
            }
            // Its own id comes last. The id of the call before is further inside.
            "big" if params["arguments"]["is_hidden"] == true => {
                let (other, text) = (id.as_i64().unwrap() - 1, "x".repeat(100_000));
                println!(r#"{{"result":{{"id":{other},"text":"{text}"}},"jsonrpc":"2.0","id":{id}}}"#);
            }
            "big" => text(&"x".repeat(100_000)),
            "odd" if params["arguments"]["is_broken"] == true => {
                println!(r#"{{"jsonrpc":"2.0","result":{{"structuredContent":1e400}},"id":{id}}}"#)
            }
            "odd" => result(id, json!({ "resultType": "hologram", "content": [] })),
            "hang" => {}
            "talk" => {
                for line in 1..50_000 {
                    eprintln!("line {line}");
                }
                text("talked");
            }
            "mismatch" if self.is_first("mismatch") => error(id, -32020, Value::Null),
            "moved" if self.is_first("moved") => unsupported(id, -32022, &[NEW]),
            "change" if self.mode == "telling" => {
                self.tell("notifications/tools/list_changed");
                text("changed");
            }
            "change" => {
                say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
                text("changed");
            }
            _ => text(&params["arguments"].to_string()),
        }
    }
}
