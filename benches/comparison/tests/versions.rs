//! The programs for both versions act alike, in each of them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Ours is the agent of version 1, built with the feature for version 2.
const AGENTS: [&str; 2] = [env!("CARGO_BIN_EXE_echo_ours"), env!("CARGO_BIN_EXE_both_official")];
const CLIENTS: [&str; 2] =
    [env!("CARGO_BIN_EXE_one_shot_both_ours"), env!("CARGO_BIN_EXE_one_shot_both_official")];
const ONLY_VERSION_1: [&str; 2] = [env!("CARGO_BIN_EXE_echo_official"), env!("CARGO_BIN_EXE_edit_official")];

/// A client that writes lines and reads them.
struct Wire {
    agent: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    calls: u64,
    /// The updates since the last call.
    updates: Vec<Value>,
}

impl Wire {
    fn start(program: &str) -> Self {
        let mut agent = Command::new(program);
        let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let stdin = agent.stdin.take();
        let stdout = BufReader::new(agent.stdout.take().expect("a pipe"));
        Wire { agent, stdin, stdout, calls: 0, updates: Vec::new() }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().expect("it is open"), "{message}").expect("the agent reads");
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Calls a method, and returns the result or the code of the error. Keeps the updates before.
    fn call(&mut self, method: &str, params: Value) -> Result<Value, i64> {
        self.calls += 1;
        self.updates.clear();
        self.send(&json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] != self.calls {
                self.updates.push(message["params"]["update"].clone());
            } else if let Some(error) = message.get("error") {
                return Err(error["code"].as_i64().expect("a code"));
            } else {
                return Ok(message["result"].clone());
            }
        }
    }

    fn code(&mut self, method: &str, params: Value) -> i64 {
        self.call(method, params).expect_err("it is refused")
    }

    /// Prompts in version 2, and returns the updates of the turn: kind, id of the message, text or
    /// state.
    fn turn(&mut self, session: &Value, prompt: Value) -> Vec<String> {
        let answer = self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt }));
        let id = answer.expect("it is taken")["messageId"].clone();
        loop {
            if let Some(state) = self.updates.last().and_then(|update| update["state"].as_str())
                && state == "idle"
            {
                break;
            }
            let message = self.read();
            self.updates.push(message["params"]["update"].clone());
        }
        assert_eq!(self.updates.first().expect("the echo")["messageId"], id);
        self.notes()
    }

    /// Notes the updates, with each message in one piece and without ids.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<(Option<&Value>, String)> = Vec::new();
        for update in &self.updates {
            let kind = update["sessionUpdate"].as_str().expect("a kind").trim_end_matches("_chunk");
            if kind == "state_update" {
                let reason = update["stopReason"].as_str().unwrap_or_default();
                let state = update["state"].as_str().expect("a state");
                notes.push((None, format!("{state} {reason}").trim_end().to_owned()));
                continue;
            }
            let blocks = update["content"].as_array().cloned().unwrap_or(vec![update["content"].clone()]);
            let text: String = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            let id = update.get("messageId");
            assert!(id.is_some(), "no id: {update}");
            match notes.last_mut() {
                Some((last, note)) if *last == id => note.push_str(&text),
                _ => notes.push((id, format!("{kind} {text}"))),
            }
        }
        notes.into_iter().map(|(_, note)| note).collect()
    }

    /// The ids of the messages among the updates.
    fn ids(&self) -> Vec<Value> {
        let mut ids: Vec<Value> =
            self.updates.iter().filter_map(|update| update.get("messageId").cloned()).collect();
        ids.dedup();
        ids
    }

    fn leave(mut self) {
        drop(self.stdin.take());
        assert!(self.agent.wait().expect("it ends").success());
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[test]
fn an_agent_of_both_versions_is_asked_for_version_2() {
    for program in AGENTS {
        let mut wire = Wire::start(program);
        let info = json!({ "name": "script", "version": "1" });
        assert_eq!(wire.code("initialize", json!({ "protocolVersion": 2 })), -32602, "{program}");
        let answer = wire.call("initialize", json!({ "protocolVersion": 2, "info": info })).expect("2");
        assert_eq!(answer["protocolVersion"], 2, "{program}");
        assert_eq!(answer["info"]["name"], "echo", "{program}");
        assert!(answer["capabilities"]["session"].is_object(), "{program}");

        assert_eq!(wire.code("session/new", json!({ "cwd": "relative" })), -32602, "{program}");
        let server = json!([{ "type": "stdio", "name": "s", "command": "/bin/true" }]);
        assert_eq!(
            wire.code("session/new", json!({ "cwd": "/one", "mcpServers": server })),
            -32602,
            "{program}"
        );
        let one = wire.call("session/new", json!({ "cwd": "/one" })).expect("a session")["sessionId"].clone();
        let two = wire.call("session/new", json!({ "cwd": "/two" })).expect("a session")["sessionId"].clone();
        let turn = wire.turn(&one, json!([text("a"), text("b")]));
        assert_eq!(turn, ["user_message ab", "running", "agent_message ab", "idle end_turn"], "{program}");
        let said = wire.ids();
        let refused = [
            ("session/prompt", json!({ "sessionId": one, "prompt": [] }), -32602),
            (
                "session/prompt",
                json!({ "sessionId": one, "prompt": [{ "type": "image", "data": "AAAA", "mimeType": "image/png" }] }),
                -32602,
            ),
            ("session/prompt", json!({ "sessionId": "nobody", "prompt": [text("c")] }), -32002),
            ("session/resume", json!({ "sessionId": "nobody", "cwd": "/one" }), -32002),
            (
                "session/resume",
                json!({ "sessionId": one, "cwd": "/one", "replayFrom": { "type": "_later" } }),
                -32602,
            ),
            ("session/list", json!({ "cursor": "nope" }), -32602),
            ("session/load", json!({ "sessionId": one, "cwd": "/one", "mcpServers": [] }), -32601),
        ];
        for (method, params, code) in refused {
            assert_eq!(wire.code(method, params.clone()), code, "{program}: {method} {params}");
        }
        wire.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": one } }));

        let listed = wire.call("session/list", json!({ "cwd": "/one" })).expect("a list");
        assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(1), "{program}: {listed}");
        assert_eq!(listed["sessions"][0]["sessionId"], one, "{program}");
        wire.call("session/resume", json!({ "sessionId": one, "cwd": "/one" })).expect("it is there");
        assert_eq!(wire.notes(), ["idle"], "{program}");
        let start = json!({ "type": "start" });
        let replay = json!({ "sessionId": one, "cwd": "/one", "replayFrom": start });
        wire.call("session/resume", replay).expect("it is there");
        assert_eq!(wire.notes(), ["user_message ab", "agent_message ab", "idle"], "{program}");
        assert_eq!(wire.ids(), said, "{program}: the messages have the ids that they had");

        wire.call("session/close", json!({ "sessionId": one })).expect("it is closed");
        wire.call("session/close", json!({ "sessionId": one })).expect("so it is");
        assert_eq!(wire.code("session/prompt", json!({ "sessionId": one, "prompt": [text("d")] })), -32002);
        let turn = wire.turn(&two, json!([text("e")]));
        assert_eq!(turn, ["user_message e", "running", "agent_message e", "idle end_turn"], "{program}");
        wire.leave();
    }
}

#[test]
fn an_agent_of_both_versions_is_asked_for_version_1() {
    for program in AGENTS {
        let mut wire = Wire::start(program);
        let answer = wire.call("initialize", json!({ "protocolVersion": 1 })).expect("1");
        assert_eq!(answer["protocolVersion"], 1, "{program}");
        let params = json!({ "cwd": "/one", "mcpServers": [] });
        let one = wire.call("session/new", params).expect("a session")["sessionId"].clone();
        let prompt = json!({ "sessionId": one, "prompt": [text("a")] });
        assert_eq!(wire.call("session/prompt", prompt), Ok(json!({ "stopReason": "end_turn" })), "{program}");
        let said = json!({ "sessionUpdate": "agent_message_chunk", "content": text("a") });
        assert_eq!(wire.updates, [said], "{program}");
        wire.leave();
    }
}

#[test]
fn a_client_of_both_versions_prints_the_answer_of_either() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("notes.txt"), "milk\n").expect("it can be written");
    let said = |client: &str, prompt: &str, agent: &str| {
        let output = Command::new(client)
            .args([prompt, "--", agent])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        assert!(output.status.success(), "{client} {agent}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    for client in CLIENTS {
        for agent in [AGENTS[0], AGENTS[1], ONLY_VERSION_1[0]] {
            assert_eq!(said(client, "hello", agent), "hello\n[end_turn]\n", "{client} {agent}");
        }
        // An agent of version 1 gets the files, which version 2 does not have.
        assert_eq!(said(client, "bread", ONLY_VERSION_1[1]), "Done.\n[end_turn]\n", "{client}");
    }
    let notes = std::fs::read_to_string(folder.path().join("notes.txt")).expect("it is there");
    assert_eq!(notes, "milk\nbread\nbread\n");
}
