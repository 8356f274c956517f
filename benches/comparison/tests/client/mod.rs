//! A client that speaks raw lines with an agent process, and takes notes.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The client's reaction to a request of the agent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Answers: a file with its text, a question with the option of this kind.
    Answer(&'static str),
    /// Answers with an error.
    Fail,
    /// Cancels the turn, then answers as it has to: a question with `cancelled`.
    Cancel,
    /// Cancels the turn, and answers when the turn is over.
    CancelAndHold,
    /// Cancels the request of the prompt, and answers when the turn is over.
    CancelRequest,
    /// Has a turn in another session and a second prompt in this one first, then answers with the
    /// option of this kind.
    Meanwhile(&'static str),
    /// Goes away.
    Leave,
}

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
    sessions: Vec<String>,
    /// Requests of the agent that are answered after the turn.
    held: VecDeque<Value>,
    pub(crate) files: BTreeMap<String, String>,
    /// The notes, with names in place of ids.
    pub(crate) log: Vec<String>,
}

impl Client {
    pub(crate) fn start(program: &str, home: &Path) -> Self {
        let mut child = Command::new(program)
            .env("XDG_STATE_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the agent starts");
        Client {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().expect("its output is a pipe")),
            child,
            requests: 0,
            sessions: Vec::new(),
            held: VecDeque::new(),
            files: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    pub(crate) fn initialize(&mut self, version: u16, fs: bool) -> Value {
        let fs = json!({ "readTextFile": fs, "writeTextFile": fs });
        let params = json!({ "protocolVersion": version, "clientCapabilities": { "fs": fs } });
        let answer = self.call("initialize", params);
        let result = &answer["result"];
        let (info, version) = (&result["agentInfo"], &result["protocolVersion"]);
        self.log.push(format!("{} {}, protocol {version}", plain(&info["name"]), plain(&info["version"])));
        result["agentCapabilities"].clone()
    }

    /// Opens a session in a folder.
    pub(crate) fn open(&mut self, cwd: &str) {
        let answer = self.call("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        if let Some(id) = answer["result"]["sessionId"].as_str() {
            assert!(!self.sessions.iter().any(|known| known == id), "{id} is not unique");
            self.sessions.push(id.to_owned());
            self.log.push(format!("open session {}", self.sessions.len()));
        }
    }

    /// Starts the agent anew, and keeps the session ids.
    pub(crate) fn restart(program: &str, home: &Path, sessions: Vec<String>) -> Self {
        let mut client = Client::start(program, home);
        client.sessions = sessions;
        client
    }

    pub(crate) fn sessions(&self) -> Vec<String> {
        self.sessions.clone()
    }

    /// Returns the id of a session, which counts from 1, or `nope` for an unknown one.
    pub(crate) fn id(&self, session: usize) -> String {
        session.checked_sub(1).and_then(|index| self.sessions.get(index)).map_or("nope", |id| id).to_owned()
    }

    /// Loads or resumes a session.
    pub(crate) fn reopen(&mut self, method: &str, session: usize, cwd: &str) {
        let params = json!({ "sessionId": self.id(session), "cwd": cwd, "mcpServers": [] });
        if self.call(method, params)["error"].is_null() {
            self.log.push(format!("{method} session {session}"));
        }
    }

    pub(crate) fn list(&mut self, params: Value) {
        let answer = self.call("session/list", params);
        let Some(sessions) = answer["result"]["sessions"].as_array() else { return };
        let mut sessions: Vec<_> = sessions
            .iter()
            .map(|info| {
                assert!(info["updatedAt"].is_string(), "without a time: {info}");
                let (cwd, title) = (plain(&info["cwd"]), plain(&info["title"]));
                format!("{} {cwd} {title}", self.name(&info["sessionId"]))
            })
            .collect();
        // The newest comes first. Two that were written within one tick of the file system's clock
        // are equally new.
        sessions.sort_unstable();
        self.log.push(format!("stored: {}", sessions.join(", ")));
    }

    pub(crate) fn close(&mut self, session: usize) {
        self.end("close", session);
    }

    pub(crate) fn delete(&mut self, session: usize) {
        self.end("delete", session);
    }

    fn end(&mut self, operation: &str, session: usize) {
        let params = json!({ "sessionId": self.id(session) });
        if self.call(&format!("session/{operation}"), params)["error"].is_null() {
            self.log.push(format!("{operation} session {session}"));
        }
    }

    pub(crate) fn cancel(&mut self, session: usize) {
        let params = json!({ "sessionId": self.id(session) });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params }));
    }

    /// Runs a turn with a text. The client answers each request.
    pub(crate) fn say(&mut self, session: usize, text: &str) {
        self.turn(session, text, "", Act::Answer("allow_once"));
    }

    /// Runs a turn with a text. The client reacts in this way to requests of that method.
    pub(crate) fn turn(&mut self, session: usize, text: &str, at: &str, act: Act) {
        self.prompt(session, json!([{ "type": "text", "text": text }]), at, act);
    }

    /// Runs a turn with any content.
    pub(crate) fn prompt(&mut self, session: usize, prompt: Value, at: &str, act: Act) {
        let id = self.request("session/prompt", json!({ "sessionId": self.id(session), "prompt": prompt }));
        if let Some(answer) = self.pump(id, at, act)
            && let Some(reason) = answer["result"]["stopReason"].as_str()
        {
            self.log.push(format!("stop {reason}"));
        }
        while let Some(request) = self.held.pop_front() {
            let cancelled = json!({ "code": -32800, "message": "cancelled" });
            self.answer(&request, json!({ "error": cancelled }));
        }
    }

    /// Calls a method, and notes an error.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.pump(id, "", Act::Answer("allow_once")).expect("an answer")
    }

    /// Closes the connection: the agent ends by itself.
    pub(crate) fn leave(&mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        while self.output.read_line(&mut rest).expect("the pipe works") > 0 {}
        let status = self.child.wait().expect("the agent ends");
        self.log.push(format!("exit {}", status.code().expect("no signal")));
    }

    /// Ends the agent as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
        self.log.push("killed".to_owned());
    }

    /// Serves the agent until it answers. Returns `None` if the client went away.
    fn pump(&mut self, id: u64, at: &str, act: Act) -> Option<Value> {
        loop {
            let message = self.receive();
            match message["method"].as_str() {
                Some("session/update") => self.update(&message["params"]),
                Some("$/cancel_request") => {}
                Some(method) => {
                    self.asked(method, &message["params"]);
                    if matches!(act, Act::Leave) && method == at {
                        self.leave();
                        return None;
                    }
                    self.serve(&message, if method == at { act } else { Act::Answer("allow_once") }, id);
                }
                None => {
                    assert_eq!(message["id"], id, "an answer to nothing: {message}");
                    if let Some(code) = message["error"]["code"].as_i64() {
                        let named = message["error"]["data"]["sessionId"].is_string();
                        self.log.push(format!("error {code}{}", if named { " sessionId" } else { "" }));
                    }
                    return Some(message);
                }
            }
        }
    }

    fn update(&mut self, params: &Value) {
        let session = self.name(&params["sessionId"]);
        let update = &params["update"];
        let event = match update["sessionUpdate"].as_str().expect("a kind") {
            "agent_message_chunk" => format!("agent {}", plain(&update["content"]["text"])),
            "user_message_chunk" => format!("user {}", plain(&update["content"]["text"])),
            "tool_call" => {
                let status = update["status"].as_str().unwrap_or("pending");
                let (kind, title) = (plain(&update["kind"]), plain(&update["title"]));
                format!("tool {status} ({kind}) {title}{}", contents(update))
            }
            "tool_call_update" => format!("tool {}{}", plain(&update["status"]), contents(update)),
            kind => kind.to_owned(),
        };
        self.log.push(format!("{session}: {event}"));
    }

    fn asked(&mut self, method: &str, params: &Value) {
        let session = self.name(&params["sessionId"]);
        let event = match method {
            "fs/read_text_file" => format!("read {}", plain(&params["path"])),
            "fs/write_text_file" => format!("write {}", plain(&params["path"])),
            "session/request_permission" => {
                let options = params["options"].as_array().expect("options").iter();
                let kinds: Vec<_> = options.map(|option| plain(&option["kind"])).collect();
                let call = &params["toolCall"];
                format!("ask {}{}: {}", plain(&call["title"]), contents(call), kinds.join(" "))
            }
            method => panic!("nobody offers {method}"),
        };
        self.log.push(format!("{session}: {event}"));
    }

    fn serve(&mut self, request: &Value, act: Act, prompt: u64) {
        let session = self.number(&request["params"]["sessionId"]);
        match act {
            Act::Answer(kind) => {
                let result = self.result(request, kind);
                self.answer(request, json!({ "result": result }));
            }
            Act::Fail => self.answer(request, json!({ "error": { "code": -32603, "message": "no" } })),
            Act::Cancel => {
                self.cancel(session);
                let result = self.result(request, "cancelled");
                self.answer(request, json!({ "result": result }));
            }
            Act::CancelAndHold => {
                self.cancel(session);
                self.held.push_back(request.clone());
            }
            Act::CancelRequest => {
                let params = json!({ "requestId": prompt });
                self.send(&json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": params }));
                self.held.push_back(request.clone());
            }
            Act::Meanwhile(kind) => {
                self.say(session + 1, "meanwhile");
                self.say(session, "second");
                let result = self.result(request, kind);
                self.answer(request, json!({ "result": result }));
            }
            Act::Leave => unreachable!("that is the end of it"),
        }
    }

    fn result(&mut self, request: &Value, kind: &str) -> Value {
        let params = &request["params"];
        let path = plain(&params["path"]);
        match request["method"].as_str().expect("a method") {
            "fs/read_text_file" => json!({ "content": self.files.get(&path).expect("a file that exists") }),
            "fs/write_text_file" => {
                self.files.insert(path, plain(&params["content"]));
                Value::Null
            }
            _ if kind == "cancelled" => json!({ "outcome": { "outcome": "cancelled" } }),
            _ => {
                let mut options = params["options"].as_array().expect("options").iter();
                let chosen = options.find(|option| option["kind"] == kind).expect("it is offered");
                json!({ "outcome": { "outcome": "selected", "optionId": chosen["optionId"] } })
            }
        }
    }

    fn number(&self, id: &Value) -> usize {
        let known = self.sessions.iter().position(|known| id == known);
        known.expect("a session that is open") + 1
    }

    fn name(&self, id: &Value) -> String {
        format!("session {}", self.number(id))
    }

    fn answer(&mut self, request: &Value, mut answer: Value) {
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        self.send(&answer);
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the connection is open");
        input.write_all(format!("{message}\n").as_bytes()).expect("the agent reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).expect("the pipe works");
        assert!(read > 0, "the agent has closed the connection; until then: {:#?}", self.log);
        serde_json::from_str(&line).expect("the agent sends JSON")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the shown content of a tool call.
fn contents(call: &Value) -> String {
    let shown =
        call["content"].as_array().into_iter().flatten().map(|content| match content["type"].as_str() {
            Some("diff") => {
                format!(" [{:?} -> {:?}]", plain(&content["oldText"]), plain(&content["newText"]))
            }
            _ => format!(" [{}]", plain(&content["content"]["text"])),
        });
    shown.collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
