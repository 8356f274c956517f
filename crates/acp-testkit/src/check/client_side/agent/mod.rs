//! The agent that the checker plays: its capabilities, and its answers to requests of the client.

mod v1;
#[cfg(feature = "v2")]
mod v2;

use std::path::Path;

use serde_json::{Value, json};

pub(super) use self::v1::pace;
#[cfg(feature = "v2")]
pub(super) use self::v2::pace as pace_of_v2;
use crate::check::client::with;
use crate::check::version::Version;
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
    version: Version,
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
    /// Updates that come before the answer to a client that wants the conversation again.
    pub(super) replay: Vec<Value>,
    /// Updates that come before the answer to `session/new`.
    pub(super) early: Vec<Value>,
    /// The cursor of the second page of the list.
    pub(super) cursor: Value,
    /// The cursors that the client has asked for.
    pub(super) asked_pages: Vec<Value>,
    /// The version that the client has asked for.
    pub(super) asked_version: Option<u64>,
    /// True once `initialize` is answered.
    pub(super) initialized: bool,
    /// The sessions that are open.
    pub(super) sessions: Vec<String>,
    /// The prompt whose turn has not ended.
    pub(super) prompt: Option<Message>,
    /// The number of messages of prompts that have their place in a conversation.
    #[cfg(feature = "v2")]
    inserted: usize,
    /// True if the message of the last prompt has its place.
    #[cfg(feature = "v2")]
    is_inserted: bool,
    /// Updates that come after the answer that opens a session.
    pub(super) opening: Vec<Value>,
    /// The sessions that were opened, with their folders: `cwd`, then the additional directories.
    pub(super) folders: Vec<(String, String)>,
    cwd: Value,
    count: usize,
}

impl Agent {
    /// Makes an agent that offers everything.
    pub(super) fn full(version: Version, cwd: &Path) -> Self {
        let (initialize, setup) = match version {
            Version::V1 => (v1::initialize(&v1::capabilities()), v1::setup()),
            #[cfg(feature = "v2")]
            Version::V2 => (v2::everything(), v2::setup()),
        };
        Self {
            version,
            initialize,
            setup,
            session_id: None,
            held: match version {
                Version::V1 => &["session/prompt"],
                // A prompt is answered at once.
                #[cfg(feature = "v2")]
                Version::V2 => &[],
            },
            locked: false,
            nulls: false,
            null_load: false,
            is_used: false,
            is_set: false,
            listed: Vec::new(),
            replay: Vec::new(),
            early: Vec::new(),
            cursor: CURSOR.into(),
            asked_pages: Vec::new(),
            asked_version: None,
            initialized: false,
            sessions: Vec::new(),
            prompt: None,
            #[cfg(feature = "v2")]
            inserted: 0,
            #[cfg(feature = "v2")]
            is_inserted: false,
            opening: Vec::new(),
            folders: Vec::new(),
            cwd: json!(cwd),
            count: 0,
        }
    }

    /// Makes an agent that offers nothing that a client could do without.
    pub(super) fn plain(version: Version, cwd: &Path) -> Self {
        let initialize = match version {
            Version::V1 => v1::initialize(&json!({})),
            #[cfg(feature = "v2")]
            Version::V2 => v2::initialize(&json!({"session": {}})),
        };
        Self { initialize, setup: json!({}), ..Self::full(version, cwd) }
    }

    /// Sets a member of the agent's capabilities.
    pub(super) fn capability(mut self, name: &str, value: Value) -> Self {
        let member = self.version.capabilities();
        let capabilities = self.initialize.get(member).cloned().unwrap_or_default();
        self.initialize = with(self.initialize, member, with(capabilities, name, value));
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
            #[cfg(feature = "v2")]
            {
                self.is_inserted = false;
            }
        }
        if method == "initialize" {
            self.asked_version = request.params().get("protocolVersion").and_then(Value::as_u64);
        }
        if self.held.contains(&method) {
            return Vec::new();
        }
        self.is_used |= USES.contains(&method);
        self.is_set |= method.starts_with("session/set_");
        let mut lines = Vec::new();
        let operation = operation(self.version, method);
        let answer = self.result(operation, request.params(), &mut lines);
        let (member, value) = answer.map_or_else(|error| ("error", error), |result| ("result", result));
        let opened =
            matches!(operation, "session/new" | "session/load" | "session/resume") && member == "result";
        let answer = json!({"jsonrpc": "2.0", "id": request.id(), member: value});
        lines.push(answer);
        #[cfg(feature = "v2")]
        if method == "session/prompt" && member == "result" {
            lines.extend(self.begin(request));
        }
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

    /// Returns the lines that end the turn of a prompt.
    pub(super) fn end(&mut self, prompt: &Message, reason: &str) -> Vec<Value> {
        match self.version {
            Version::V1 => {
                vec![json!({"jsonrpc": "2.0", "id": prompt.id(), "result": {"stopReason": reason}})]
            }
            #[cfg(feature = "v2")]
            Version::V2 => self.idle(prompt, &json!({"state": "idle", "stopReason": reason})),
        }
    }

    fn result(&mut self, method: &str, params: &Value, lines: &mut Vec<Value>) -> Result<Value, Value> {
        let session = params.get("sessionId").and_then(Value::as_str).unwrap_or_default().to_owned();
        let done = if self.nulls { Value::Null } else { json!({}) };
        match method {
            "initialize" => {
                #[cfg(feature = "v2")]
                if self.version == Version::V2 {
                    v2::speaks(self.asked_version)?;
                }
                self.initialized = true;
                Ok(self.initialize.clone())
            }
            #[cfg(feature = "v2")]
            "session/prompt" if self.version == Version::V2 => Ok(self.accept()),
            "authenticate" => {
                self.locked = false;
                Ok(done)
            }
            "session/new" | "session/load" | "session/resume" if self.locked => {
                Err(json!({"code": -32000, "message": "log in first"}))
            }
            "session/new" => {
                let opened = self.open_new();
                let session = self.sessions.last().cloned().unwrap_or_default();
                lines.extend(self.early.iter().map(|update| update_of(&session, update)));
                Ok(opened)
            }
            "session/load" | "session/resume" => {
                let replays = params.get("replayFrom").is_some_and(Value::is_object);
                if method == "session/load" || replays {
                    lines.extend(self.replay.iter().map(|update| update_of(&session, update)));
                }
                #[cfg(feature = "v2")]
                if self.version == Version::V2 {
                    let idle = json!({"sessionUpdate": "state_update", "state": "idle"});
                    lines.push(update_of(&session, &idle));
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

    fn page(&mut self, params: &Value) -> Value {
        let entry = |id: &str| json!({"sessionId": id, "cwd": self.cwd, "title": "An earlier one"});
        if let Some(cursor) = params.get("cursor").filter(|cursor| !cursor.is_null()) {
            self.asked_pages.push(cursor.clone());
            return json!({"sessions": [entry("acp-check-stored-2")]});
        }
        let mut sessions = self.listed.clone();
        sessions.push(entry(STORED));
        json!({"sessions": sessions, "nextCursor": self.cursor})
    }
}

/// Returns the name that version 1 has for a method. A method that the version does not have is
/// without a name.
fn operation(version: Version, method: &str) -> &str {
    match version {
        Version::V1 => method,
        #[cfg(feature = "v2")]
        Version::V2 => v2::operation(method),
    }
}

fn update_of(session: &str, update: &Value) -> Value {
    let params = json!({"sessionId": session, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
}
