//! The agent that the checker plays: its capabilities, and its answers to requests of the client.

use serde_json::{Value, json};

use crate::check::client::with;
use crate::peer::Message;

/// A session that the agent lists, and that can be taken up.
const STORED: &str = "acp-check-stored";

/// The cursor of the second page of the list.
const CURSOR: &str = "acp-check: {\"a\":\"\u{e9}=+/%20\"}";

/// Calls that a client may have been told to make, whatever agent it meets.
const USES: &[&str] =
    &["session/load", "session/resume", "session/list", "session/set_mode", "session/set_config_option"];

/// The agent's answers, and the memory of what was asked.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    /// The result of `initialize`.
    pub(super) initialize: Value,
    /// The result that opens a session, without the id.
    pub(super) setup: Value,
    /// The id of the next session, if it is a certain one.
    pub(super) session_id: Option<String>,
    /// Requests of these methods wait for the scenario.
    pub(super) held: &'static [&'static str],
    /// True if sessions need a login first.
    pub(super) locked: bool,
    /// True if results without content are `null`.
    pub(super) nulls: bool,
    /// True if the result of `session/load` is `null`.
    pub(super) null_load: bool,
    /// True if the client has called something that an agent need not offer.
    pub(super) is_used: bool,
    /// True if the client has set a mode or an option.
    pub(super) is_set: bool,
    /// Entries of the list beside the stored session.
    pub(super) listed: Vec<Value>,
    /// Updates that come before the answer that opens a session by `session/load`.
    pub(super) replay: Vec<Value>,
    /// True once `initialize` is answered.
    pub(super) initialized: bool,
    /// The sessions that are open.
    pub(super) sessions: Vec<String>,
    /// The prompt that waits for its answer.
    pub(super) prompt: Option<Message>,
    /// Updates that come after the answer that opens a session.
    pub(super) opening: Vec<Value>,
    /// The sessions that were opened, with their folders: `cwd`, then the additional directories.
    pub(super) folders: Vec<(String, String)>,
    cwd: Value,
    count: usize,
}

impl Agent {
    /// Makes an agent that offers everything.
    pub(super) fn full(cwd: &std::path::Path) -> Self {
        Self {
            initialize: initialize(&capabilities()),
            setup: setup(),
            session_id: None,
            held: &["session/prompt"],
            locked: false,
            nulls: false,
            null_load: false,
            is_used: false,
            is_set: false,
            listed: Vec::new(),
            replay: Vec::new(),
            initialized: false,
            sessions: Vec::new(),
            prompt: None,
            opening: Vec::new(),
            folders: Vec::new(),
            cwd: json!(cwd),
            count: 0,
        }
    }

    /// Makes an agent that offers nothing.
    pub(super) fn plain(cwd: &std::path::Path) -> Self {
        Self { initialize: initialize(&json!({})), setup: json!({}), ..Self::full(cwd) }
    }

    /// Sets a member of `agentCapabilities`.
    pub(super) fn capability(mut self, name: &str, value: Value) -> Self {
        let capabilities = self.initialize.get("agentCapabilities").cloned().unwrap_or_default();
        self.initialize = with(self.initialize, "agentCapabilities", with(capabilities, name, value));
        self
    }

    /// Sets a member of the result of `initialize`.
    pub(super) fn answers(mut self, name: &str, value: Value) -> Self {
        self.initialize = with(self.initialize, name, value);
        self
    }

    /// Sets a member of the result that opens a session.
    pub(super) fn opens(mut self, name: &str, value: Value) -> Self {
        self.setup = with(self.setup, name, value);
        self
    }

    /// Returns the lines that answer a request. A request that is held has none.
    pub(super) fn answer(&mut self, request: &Message) -> Vec<Value> {
        let method = request.method().unwrap_or_default();
        if method == "session/prompt" {
            self.prompt = Some(request.clone());
        }
        if self.held.contains(&method) {
            return Vec::new();
        }
        self.is_used |= USES.contains(&method);
        self.is_set |= method.starts_with("session/set_");
        let mut lines = Vec::new();
        let answer = self.result(method, request.params(), &mut lines);
        let (member, value) = answer.map_or_else(|error| ("error", error), |result| ("result", result));
        let opened =
            matches!(method, "session/new" | "session/load" | "session/resume") && member == "result";
        let answer = json!({"jsonrpc": "2.0", "id": request.id(), member: value});
        lines.push(answer);
        if let Some(session) = self.sessions.last().filter(|_| opened) {
            let cwd = request.params().get("cwd").and_then(Value::as_str).unwrap_or_default();
            let more = request.params().get("additionalDirectories").and_then(Value::as_array);
            let more = more.into_iter().flatten().filter_map(Value::as_str);
            let folders = std::iter::once(cwd).chain(more).map(|folder| (session.clone(), folder.to_owned()));
            self.folders.extend(folders);
            lines.extend(self.opening.iter().map(|update| update_of(session, update)));
        }
        lines
    }

    fn result(&mut self, method: &str, params: &Value, lines: &mut Vec<Value>) -> Result<Value, Value> {
        let session = params.get("sessionId").and_then(Value::as_str).unwrap_or_default().to_owned();
        let done = if self.nulls { Value::Null } else { json!({}) };
        match method {
            "initialize" => {
                self.initialized = true;
                Ok(self.initialize.clone())
            }
            "authenticate" => {
                self.locked = false;
                Ok(done)
            }
            "session/new" | "session/load" | "session/resume" if self.locked => {
                Err(json!({"code": -32000, "message": "log in first"}))
            }
            "session/new" => Ok(self.open_new()),
            "session/load" | "session/resume" => {
                if method == "session/load" {
                    lines.extend(self.replay.iter().map(|update| update_of(&session, update)));
                }
                self.sessions.push(session);
                let null = self.null_load && method == "session/load";
                Ok(if null { Value::Null } else { self.setup.clone() })
            }
            "session/list" => Ok(self.page(params)),
            "session/set_config_option" => Ok(json!({"configOptions": self.setup.get("configOptions")})),
            "session/close" => {
                self.sessions.retain(|open| *open != session);
                Ok(done)
            }
            "session/set_mode" | "session/delete" | "logout" => Ok(done),
            _ => Err(json!({"code": -32601, "message": "the checker has no such method"})),
        }
    }

    /// Returns the folder of a session.
    pub(super) fn folder_of(&self, session: &str) -> Option<&str> {
        let found = self.folders.iter().find(|(id, _)| id == session);
        found.map(|(_, folder)| folder.as_str()).filter(|folder| !folder.is_empty())
    }

    fn open_new(&mut self) -> Value {
        self.count += 1;
        let id = self.session_id.clone().unwrap_or_else(|| format!("acp-check-{}", self.count));
        self.sessions.push(id.clone());
        with(self.setup.clone(), "sessionId", id.into())
    }

    fn page(&self, params: &Value) -> Value {
        let entry = |id: &str| json!({"sessionId": id, "cwd": self.cwd, "title": "An earlier one"});
        if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return json!({"sessions": [entry("acp-check-stored-2")]});
        }
        let mut sessions = self.listed.clone();
        sessions.push(entry(STORED));
        json!({"sessions": sessions, "nextCursor": CURSOR})
    }
}

fn update_of(session: &str, update: &Value) -> Value {
    let params = json!({"sessionId": session, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
}

fn initialize(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": capabilities,
        "agentInfo": {"name": "acp-check", "version": env!("CARGO_PKG_VERSION")},
        "authMethods": [{"id": "acp-check-login", "name": "Log in"}],
    })
}

/// Returns the capabilities of an agent that offers everything.
fn capabilities() -> Value {
    json!({
        "loadSession": true,
        "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
        "mcpCapabilities": {"http": true, "sse": true},
        "sessionCapabilities": {
            "list": {}, "resume": {}, "close": {}, "delete": {}, "additionalDirectories": {},
        },
        "auth": {"logout": {}},
    })
}

/// Returns the modes that sessions have.
fn modes() -> Value {
    json!({
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "do", "name": "Do"}],
    })
}

/// Returns a config option with two values.
pub(super) fn pace() -> Value {
    json!({
        "id": "pace", "name": "Pace", "type": "select", "currentValue": "slow",
        "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}],
    })
}

fn setup() -> Value {
    let on = json!({"id": "on", "name": "On", "type": "boolean", "currentValue": false});
    json!({"modes": modes(), "configOptions": [pace(), on]})
}
