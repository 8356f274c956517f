//! The schema's opinion of each line that one side of a connection writes.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use acp_types::method::Side;
use serde_json::Value;

use super::canonical::CanonicalSchema;
use crate::peer::{Line, Way};

/// A check of each line that one side of a connection writes, against the schema of the version
/// that the two sides have agreed on (feature `canonical`).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use acp_testkit::{LineCheck, ScriptedPeer};
/// use acp_types::method::Side;
/// use serde_json::json;
///
/// let (theirs, ours) = tokio::io::duplex(4096);
/// let mut agent = ScriptedPeer::from_stream(theirs);
/// let mut client = ScriptedPeer::from_stream(ours);
/// let mut check = LineCheck::of(Side::Agent, false)?;
/// client.watch(move |line| check.line(line));
/// client.request("session/new", json!({"cwd": "/", "mcpServers": []})).await.unwrap();
/// let request = agent.expect("session/new").await.unwrap();
/// agent.answer(&request, json!({"sessionId": 7})).await.unwrap();
/// let fault = client.next().await.unwrap_err();
/// assert!(fault.to_string().contains("NewSessionResponse"), "{fault}");
/// # Ok(()) }
/// ```
pub struct LineCheck {
    ours: Side,
    unstable: bool,
    version: u64,
    /// The schema of that version. The other is not read before it is needed: it takes megabytes.
    schema: Arc<Schema>,
    /// True if a line to our side was not JSON here. It may have been a request all the same.
    has_unread: bool,
    /// The methods of the open requests to our side and of our side, by id.
    asked: HashMap<String, String>,
    asks: HashMap<String, String>,
}

impl LineCheck {
    /// Makes a check of the lines that this side writes, against the unstable schemas or the stable
    /// ones. The version is 1 until the sides have agreed on another.
    ///
    /// # Errors
    /// Fails if the schema of version 1 cannot be [loaded](CanonicalSchema::load).
    pub fn of(side: Side, unstable: bool) -> io::Result<Self> {
        Ok(Self {
            ours: side,
            unstable,
            version: 1,
            schema: schema(1, unstable)?,
            has_unread: false,
            asked: HashMap::new(),
            asks: HashMap::new(),
        })
    }

    /// Checks a line that the scripted peer has received, and takes note of one that it has sent:
    /// the scripted peer is at the other end of the side under check. Lines to the side under check
    /// may be anything.
    ///
    /// # Errors
    /// Fails with the reason if the schema does not accept the line, or cannot be loaded.
    pub fn line(&mut self, line: &Line) -> Result<(), String> {
        match line.way {
            Way::Sent => self.heard(&line.text()),
            Way::Received => self.wrote(&line.text()),
        }
    }

    fn heard(&mut self, line: &str) -> Result<(), String> {
        match serde_json::from_str(line) {
            Ok(Value::Array(batch)) => batch.iter().try_for_each(|message| self.heard_message(message)),
            Ok(message) => self.heard_message(&message),
            Err(_) => {
                self.has_unread = true;
                Ok(())
            }
        }
    }

    fn heard_message(&mut self, message: &Value) -> Result<(), String> {
        let Some(id) = message.get("id").map(Value::to_string) else { return Ok(()) };
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            self.asked.insert(id, method.to_owned());
        } else if self.asks.remove(&id).as_deref() == Some("initialize") && self.ours == Side::Client {
            // The form of an answer decides, not its number.
            let member = |name: &str| message.get("result")?.get(name).filter(|value| !value.is_null());
            let is_first = member("agentCapabilities").is_some() || member("agentInfo").is_some();
            let says_second = member("protocolVersion").is_some_and(|version| *version == 2);
            let is_second = says_second && member("info").is_some() && !is_first;
            self.agree(if is_second { 2 } else { 1 })?;
        }
        Ok(())
    }

    fn agree(&mut self, version: u64) -> Result<(), String> {
        if self.version != version {
            self.schema = schema(version, self.unstable).map_err(|error| error.to_string())?;
            self.version = version;
        }
        Ok(())
    }

    fn wrote(&mut self, line: &str) -> Result<(), String> {
        let message = serde_json::from_str(line).map_err(|_| "it is not JSON".to_owned())?;
        let checked = match &message {
            Value::Array(batch) => batch.iter().try_for_each(|message| self.check(message)),
            message => self.check(message),
        };
        checked.map_err(|reason| format!("the schema of version {} refuses it: {reason}", self.version))
    }

    fn check(&mut self, message: &Value) -> Result<(), String> {
        let known = ["jsonrpc", "id", "method", "params", "result", "error"];
        let members = message.as_object().ok_or("it is not an object")?;
        if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown member `{unknown}`"));
        }
        if members.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return Err("it is not JSON-RPC 2.0".to_owned());
        }
        let id = members.get("id").map(Value::to_string);
        if let Some(method) = members.get("method").and_then(Value::as_str) {
            let params = members.get("params").unwrap_or(&Value::Null);
            if method == "initialize" {
                self.agree(version_of(params))?;
            }
            if let Some(id) = id {
                self.asks.insert(id, method.to_owned());
            }
            let schema = &self.schema;
            return schema.check_as(&schema.params, other(self.ours), method, params);
        }
        let method = self.asked.remove(&id.ok_or("neither a method nor an id")?);
        if let Some(error) = members.get("error") {
            return self.schema.canonical.check("Error", error);
        }
        if self.has_unread && method.is_none() {
            return Ok(());
        }
        let method = method.ok_or("an answer to nothing")?;
        let result = members.get("result").ok_or("neither a result nor an error")?;
        if method == "initialize" {
            self.agree(version_of(result))?;
        }
        let schema = &self.schema;
        schema.check_as(&schema.results, self.ours, &method, result)
    }
}

/// Returns the version that params or a result of `initialize` name.
fn version_of(value: &Value) -> u64 {
    value.get("protocolVersion").and_then(Value::as_u64).map_or(1, |version| version.clamp(1, 2))
}

const fn other(side: Side) -> Side {
    match side {
        Side::Agent => Side::Client,
        _ => Side::Agent,
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::Agent => "agent",
        _ => "client",
    }
}

/// Definitions by the side that serves a method and by the method.
type Names = BTreeMap<(String, String), String>;

/// The schema of a version, and the methods of its definitions.
struct Schema {
    canonical: CanonicalSchema,
    params: Names,
    results: Names,
}

/// Returns the schema of a version. Each is read once.
fn schema(version: u64, unstable: bool) -> io::Result<Arc<Schema>> {
    static LOADED: [OnceLock<Result<Arc<Schema>, String>>; 4] = [const { OnceLock::new() }; 4];
    let place = LOADED.get(usize::from(version == 2) * 2 + usize::from(unstable));
    let place = place.ok_or_else(|| io::Error::other("there are two versions"))?;
    let load = || Schema::load(version, unstable).map(Arc::new).map_err(|error| error.to_string());
    place.get_or_init(load).clone().map_err(io::Error::other)
}

impl Schema {
    fn load(version: u64, unstable: bool) -> io::Result<Self> {
        let canonical = CanonicalSchema::load_as(&format!("v{version}"), unstable)?;
        let (mut params, mut results) = (Names::new(), Names::new());
        for (name, definition) in canonical.definitions() {
            let text = |member: &str| definition.get(member).and_then(Value::as_str).map(str::to_owned);
            if let Some(key) = text("x-side").zip(text("x-method")) {
                let names = if name.ends_with("Response") { &mut results } else { &mut params };
                names.insert(key, name.clone());
            }
        }
        Ok(Self { canonical, params, results })
    }

    /// Checks params or a result. `server` is the side that serves the method.
    fn check_as(&self, names: &Names, server: Side, method: &str, value: &Value) -> Result<(), String> {
        if method.starts_with('_') {
            return Ok(());
        }
        let key = |side: &str| (side.to_owned(), method.to_owned());
        let found = names.get(&key(name(server))).or_else(|| names.get(&key("protocol")));
        self.canonical.check(found.ok_or_else(|| format!("there is no `{method}`"))?, value)
    }
}

impl fmt::Debug for LineCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineCheck").field("ours", &self.ours).finish_non_exhaustive()
    }
}
