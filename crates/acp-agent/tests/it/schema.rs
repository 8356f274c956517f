//! The schema's opinion of each line that a side writes. The tests of acp-client use this file,
//! too.

#![allow(dead_code, reason = "each side uses a part of it")]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::ValidatorMap;
use serde_json::Value;

/// The schemas of version 1 and of version 2.
static SCHEMAS: [LazyLock<Schema>; 2] =
    [LazyLock::new(|| Schema::load("v1")), LazyLock::new(|| Schema::load("v2"))];

/// Checks a value against a definition of a version.
pub(crate) fn validate(version: u64, definition: &str, value: &Value) {
    if let Err(problem) = of(version).check(definition, value) {
        panic!("not as version {version} has it: {problem}: {value}");
    }
}

fn of(version: u64) -> &'static Schema {
    &SCHEMAS[usize::from(version == 2)]
}

/// Returns the lists of values that are closed in the first version and open, or not there, in the
/// second.
pub(crate) fn closed_only_in(first: u64, second: u64) -> Vec<String> {
    let is_closed = |version: u64, name: &str| {
        let definition = of(version).definitions.get(name);
        let options = definition.and_then(|definition| definition["oneOf"].as_array());
        let options = options.filter(|options| !options.is_empty());
        options.is_some_and(|options| options.iter().all(|option| option["const"].is_string()))
    };
    let names = of(first).definitions.keys();
    let differs = |name: &&String| is_closed(first, name) && !is_closed(second, name);
    let mut lists: Vec<_> = names.filter(differs).cloned().collect();
    lists.sort();
    lists
}

/// By the side that serves a method and by the method.
type Names = BTreeMap<(String, String), String>;

struct Schema {
    definitions: serde_json::Map<String, Value>,
    validators: ValidatorMap,
    params: Names,
    results: Names,
}

impl Schema {
    fn load(version: &str) -> Self {
        let file = if cfg!(feature = "unstable") { "schema.unstable.json" } else { "schema.json" };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
        let text = std::fs::read_to_string(folder.join(version).join(file)).unwrap();
        let schema: Value = serde_json::from_str(&text).unwrap();
        let (mut params, mut results) = (Names::new(), Names::new());
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            let text = |member: &str| definition[member].as_str().map(str::to_owned);
            if let Some(key) = text("x-side").zip(text("x-method")) {
                let names = if name.ends_with("Response") { &mut results } else { &mut params };
                names.insert(key, name.clone());
            }
        }
        let validators = jsonschema::validator_map_for(&schema).unwrap();
        Schema { definitions: schema["$defs"].as_object().unwrap().clone(), validators, params, results }
    }

    fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        let validator = self.validators.get(&format!("#/$defs/{definition}")).expect("the schema has it");
        validator.validate(value).map_err(|error| format!("{definition}: {error}"))
    }

    /// Checks params or a result. `server` is the side that serves the method.
    fn check_as(&self, names: &Names, server: Side, method: &str, value: &Value) -> Result<(), String> {
        if method.starts_with('_') {
            return Ok(());
        }
        let key = |side: &str| (side.to_owned(), method.to_owned());
        let found = names.get(&key(server.name())).or_else(|| names.get(&key("protocol")));
        self.check(found.ok_or_else(|| format!("there is no `{method}`"))?, value)
    }
}

/// A side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Agent,
    Client,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Side::Agent => "agent",
            Side::Client => "client",
        }
    }

    const fn other(self) -> Self {
        match self {
            Side::Agent => Side::Client,
            Side::Client => Side::Agent,
        }
    }
}

/// A check of each line that one side of a connection writes, against the schema of the version
/// that the two have agreed on.
pub(crate) struct Lines {
    ours: Side,
    version: u64,
    is_on: bool,
    /// True if a line to our side was not JSON here. It may have been a request all the same.
    has_unread: bool,
    /// The methods of the open requests to our side and of our side, by id.
    asked: HashMap<String, String>,
    asks: HashMap<String, String>,
}

impl Lines {
    pub(crate) fn of(ours: Side) -> Self {
        Lines {
            ours,
            version: 1,
            is_on: true,
            has_unread: false,
            asked: HashMap::new(),
            asks: HashMap::new(),
        }
    }

    /// Ends the check: the test has our side write something that the schema does not have.
    pub(crate) const fn stop(&mut self) {
        self.is_on = false;
    }

    /// Takes note of a line to our side. It may be anything.
    pub(crate) fn heard(&mut self, line: &str) {
        match serde_json::from_str(line) {
            Ok(Value::Array(batch)) => batch.iter().for_each(|message| self.heard_message(message)),
            Ok(message) => self.heard_message(&message),
            Err(_) => self.has_unread = true,
        }
    }

    fn heard_message(&mut self, message: &Value) {
        let Some(id) = message.get("id").map(Value::to_string) else { return };
        if let Some(method) = message["method"].as_str() {
            self.asked.insert(id, method.to_owned());
        } else if self.asks.remove(&id).as_deref() == Some("initialize") && self.ours == Side::Client {
            // The form of an answer decides, not its number.
            let result = &message["result"];
            let is_first = ["agentCapabilities", "agentInfo"].iter().any(|name| !result[name].is_null());
            let is_second = result["protocolVersion"] == 2 && !result["info"].is_null() && !is_first;
            self.version = if is_second { 2 } else { 1 };
        }
    }

    /// Checks a line of our side.
    pub(crate) fn wrote(&mut self, line: &str) {
        if !self.is_on {
            return;
        }
        let Ok(message) = serde_json::from_str(line) else { panic!("not JSON: {line}") };
        let checked = match &message {
            Value::Array(batch) => batch.iter().try_for_each(|message| self.check(message)),
            message => self.check(message),
        };
        if let Err(problem) = checked {
            panic!("not as the schema of version {} has it: {problem}: {line}", self.version);
        }
    }

    fn check(&mut self, message: &Value) -> Result<(), String> {
        let known = ["jsonrpc", "id", "method", "params", "result", "error"];
        let members = message.as_object().ok_or("not an object")?;
        if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown member `{unknown}`"));
        }
        if message["jsonrpc"] != "2.0" {
            return Err("not JSON-RPC 2.0".to_owned());
        }
        let id = message.get("id").map(Value::to_string);
        if let Some(method) = message["method"].as_str() {
            if method == "initialize" {
                self.version =
                    message["params"]["protocolVersion"].as_u64().map_or(1, |asked| asked.clamp(1, 2));
            }
            if let Some(id) = id {
                self.asks.insert(id, method.to_owned());
            }
            let schema = of(self.version);
            return schema.check_as(&schema.params, self.ours.other(), method, &message["params"]);
        }
        let method = self.asked.remove(&id.ok_or("neither a method nor an id")?);
        if let Some(error) = message.get("error") {
            return of(self.version).check("Error", error);
        }
        if self.has_unread && method.is_none() {
            return Ok(());
        }
        let method = method.ok_or("an answer to nothing")?;
        let result = message.get("result").ok_or("neither a result nor an error")?;
        if method == "initialize" {
            self.version = result["protocolVersion"].as_u64().map_or(1, |chosen| chosen.clamp(1, 2));
        }
        let schema = of(self.version);
        schema.check_as(&schema.results, self.ours, &method, result)
    }
}
