//! A client that the test plays, over a pipe in memory. It keeps files, answers questions from a
//! list, and records the updates.

#![allow(dead_code, reason = "what only some features use")]

#[cfg(feature = "openai")]
pub(crate) mod model;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use acp_testkit::ScriptedPeer;
use examples::coding_agent::agent::CodingAgent;
use examples::coding_agent::planner::Planner;
use serde_json::{Value, json};

pub(crate) struct Client {
    peer: ScriptedPeer,
    cwd: String,
    /// The client's files by path relative to the session's folder.
    pub(crate) files: BTreeMap<String, String>,
    /// The options that it chooses, or `fail`. Behind the end of the list it cancels the turn
    /// instead.
    pub(crate) choices: VecDeque<&'static str>,
    /// Every `tool_call` and `tool_call_update` as it came.
    pub(crate) tool_calls: Vec<Value>,
    /// The text that the agent has said.
    pub(crate) said: String,
    /// The messages of that text, one after the other.
    pub(crate) message_ids: Vec<Value>,
    /// The exit code of commands, which print `out` before. Without it a signal ends them.
    pub(crate) exit_code: Option<u32>,
}

impl Client {
    /// Connects a client to an agent with this planner, and opens a session in the folder `cwd`.
    pub(crate) async fn connect(planner: impl Planner, cwd: &Path) -> Self {
        let capabilities = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
        Self::connect_with(planner, cwd, capabilities).await
    }

    /// Connects a client with these capabilities.
    pub(crate) async fn connect_with(planner: impl Planner, cwd: &Path, capabilities: Value) -> Self {
        let (transport, peer) = ScriptedPeer::pair_of(64 * 1024);
        tokio::spawn(acp_agent::serve(CodingAgent::new(planner), transport));
        let mut client = Client {
            peer,
            cwd: cwd.to_str().expect("a Unicode path").to_owned(),
            files: BTreeMap::new(),
            choices: VecDeque::new(),
            tool_calls: Vec::new(),
            said: String::new(),
            message_ids: Vec::new(),
            exit_code: Some(0),
        };
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        let id = client.request("initialize", params).await;
        assert_eq!(client.receive().await["id"], id);
        client
    }

    /// Opens a session and returns its id.
    pub(crate) async fn open(&mut self) -> String {
        let params = json!({"cwd": self.cwd, "mcpServers": []});
        let id = self.request("session/new", params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id);
        let commands = self.receive().await;
        let commands = &commands["params"]["update"]["availableCommands"];
        assert_eq!((&commands[0]["name"], &commands[1]["name"]), (&json!("clear"), &json!("tools")));
        answer["result"]["sessionId"].as_str().expect("a session id").to_owned()
    }

    /// Runs a turn to its end and returns its events, a line each. Text of the agent is not among
    /// them.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> Vec<String> {
        let prompt = json!([{"type": "text", "text": text}]);
        self.prompt_with(session, prompt, |_| false).await
    }

    /// Runs a turn with any content, and cancels it after the first event that `cancel_at` picks.
    pub(crate) async fn prompt_with(
        &mut self,
        session: &str,
        prompt: Value,
        mut cancel_at: impl FnMut(&str) -> bool,
    ) -> Vec<String> {
        let id = self.request("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
        let mut events = Vec::new();
        loop {
            let message = self.receive().await;
            let event = match message["method"].as_str() {
                Some("session/update") => self.update(&message["params"]["update"]),
                Some(_) => self.serve(session, &message).await,
                None => {
                    assert_eq!(message["id"], id, "an answer to nothing: {message}");
                    events.push(ending(&message));
                    return events;
                }
            };
            if let Some(event) = event {
                if cancel_at(&event) {
                    self.notify("session/cancel", json!({"sessionId": session})).await;
                }
                if !event.starts_with("say ") {
                    events.push(event);
                }
            }
        }
    }

    fn update(&mut self, update: &Value) -> Option<String> {
        let text = || update["content"]["text"].as_str().expect("text").to_owned();
        match update["sessionUpdate"].as_str().expect("a kind") {
            "agent_message_chunk" => {
                self.said += &text();
                self.message_ids.push(update["messageId"].clone());
                self.message_ids.dedup();
                Some(format!("say {}", text()))
            }
            "agent_thought_chunk" => Some(format!("think {}", text())),
            "plan" => {
                let entries = update["entries"].as_array().expect("entries").iter();
                let entries =
                    entries.map(|entry| format!("{} {}", plain(&entry["status"]), plain(&entry["content"])));
                Some(format!("plan {}", entries.collect::<Vec<_>>().join(", ")))
            }
            "tool_call" => {
                self.tool_calls.push(update.clone());
                let status = update["status"].as_str().unwrap_or("pending");
                Some(format!("{} {status}: {}", plain(&update["toolCallId"]), plain(&update["title"])))
            }
            "tool_call_update" => {
                self.tool_calls.push(update.clone());
                let status = update["status"].as_str()?;
                Some(format!("{} {status}", plain(&update["toolCallId"])))
            }
            kind => Some(kind.to_owned()),
        }
    }

    async fn serve(&mut self, session: &str, request: &Value) -> Option<String> {
        let params = &request["params"];
        assert_eq!(params["sessionId"], session);
        let absolute = params["path"].as_str().unwrap_or_default();
        let path = absolute.strip_prefix(&self.cwd).unwrap_or(absolute).trim_start_matches('/').to_owned();
        let (event, answer) = match request["method"].as_str().expect("a method") {
            "fs/read_text_file" => (
                format!("read {path}"),
                match self.files.get(&path) {
                    Some(text) => json!({"result": {"content": text}}),
                    None => json!({"error": {"code": -32002, "message": "no such file"}}),
                },
            ),
            "fs/write_text_file" => {
                self.files.insert(path.clone(), plain(&params["content"]));
                (format!("write {path}"), json!({"result": null}))
            }
            "terminal/create" => {
                assert_eq!(params["cwd"], self.cwd);
                let args = params["args"].as_array().expect("arguments").iter().map(plain);
                let line: Vec<_> = std::iter::once(plain(&params["command"])).chain(args).collect();
                (format!("run {}", line.join(" ")), json!({"result": {"terminalId": "t1"}}))
            }
            "terminal/wait_for_exit" => {
                let signal = self.exit_code.is_none().then_some("SIGKILL");
                ("wait".to_owned(), json!({"result": {"exitCode": self.exit_code, "signal": signal}}))
            }
            "terminal/output" => {
                ("output".to_owned(), json!({"result": {"output": "out", "truncated": false}}))
            }
            "terminal/release" => ("release".to_owned(), json!({"result": {}})),
            "session/request_permission" => {
                let options = params["options"].as_array().expect("options");
                let kinds: Vec<_> = options.iter().map(|option| plain(&option["kind"])).collect();
                let event = format!("ask {}: {}", plain(&params["toolCall"]["toolCallId"]), kinds.join(" "));
                let outcome = match self.choices.pop_front() {
                    Some("fail") => {
                        self.answer(request, json!({"error": {"code": -32603, "message": "no"}})).await;
                        return Some(event);
                    }
                    Some(kind) => {
                        let chosen =
                            options.iter().find(|option| option["kind"] == kind).expect("it is offered");
                        json!({"outcome": "selected", "optionId": chosen["optionId"]})
                    }
                    None => {
                        self.notify("session/cancel", json!({"sessionId": session})).await;
                        json!({"outcome": "cancelled"})
                    }
                };
                (event, json!({"result": {"outcome": outcome}}))
            }
            method => panic!("nobody offers {method}"),
        };
        self.answer(request, answer).await;
        Some(event)
    }

    async fn answer(&mut self, request: &Value, answer: Value) {
        let answered = match answer.get("error") {
            Some(error) => self.peer.fail_with(request, error.clone()).await,
            None => self.peer.answer(request, answer["result"].clone()).await,
        };
        answered.expect("the agent reads");
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.peer.request(method, params).await.expect("the agent reads")
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.peer.notify(method, params).await.expect("the agent reads");
    }

    /// Returns the next message. Cancelled requests of the agent need no answer, so their notices
    /// are skipped.
    async fn receive(&mut self) -> Value {
        loop {
            let message = self.peer.next().await.expect("the agent sends JSON in time");
            let message = message.expect("the agent has closed the connection");
            if message.method() != Some("$/cancel_request") {
                return message.into_json();
            }
        }
    }
}

/// The end of a turn.
fn ending(answer: &Value) -> String {
    match answer["result"]["stopReason"].as_str() {
        Some(reason) => format!("stop {reason}"),
        None => format!("error {}", plain(&answer["error"]["message"])),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
