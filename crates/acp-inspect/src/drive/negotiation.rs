//! The choice of the version: what the agent is asked, and the meaning of its answer.

use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};

/// The agent speaks no version at or below the one that it was asked for.
const UNSUPPORTED_VERSION: i64 = -32022;
/// The agent refuses params that it does not know.
const INVALID_PARAMS: i64 = -32602;

/// The version of a connection, as far as the agent has said.
#[derive(Debug)]
pub(super) struct Negotiation {
    /// The versions to speak. The preferred one stands first.
    spoken: Vec<ProtocolVersion>,
    /// The versions that the agent was asked for.
    asked: Vec<ProtocolVersion>,
    /// The request that waits for its answer.
    open: Option<Open>,
    /// The reason for which the agent has not settled a version yet.
    unsettled: Option<String>,
}

/// A request that waits for its answer.
#[derive(Debug)]
struct Open {
    id: u64,
    version: ProtocolVersion,
    /// A person has written it. Its answer is taken as it comes.
    is_of_person: bool,
}

/// The meaning of an answer.
enum Meaning {
    Speaks,
    Asks(ProtocolVersion),
    Fails(String),
}

impl Negotiation {
    pub(super) fn new(mut spoken: Vec<ProtocolVersion>) -> Self {
        if spoken.is_empty() {
            spoken.push(ProtocolVersion::V1);
        }
        let unsettled = Some("the agent has not answered `initialize` yet: wait for its answer".to_owned());
        Self { spoken, asked: Vec::new(), open: None, unsettled }
    }

    /// Returns the version to ask for first.
    pub(super) fn first(&self) -> ProtocolVersion {
        self.spoken.first().copied().unwrap_or(ProtocolVersion::V1)
    }

    /// Takes note of a request for a version.
    pub(super) fn ask(&mut self, id: u64, version: ProtocolVersion) {
        self.asked.push(version);
        self.open = Some(Open { id, version, is_of_person: false });
    }

    /// Takes note of the `initialize` of a person.
    pub(super) fn ask_as_person(&mut self, id: u64, params: Option<&Value>) {
        let version = params.and_then(|params| params.get("protocolVersion")).and_then(number);
        let version = version.unwrap_or(ProtocolVersion::V1);
        self.open = Some(Open { id, version, is_of_person: true });
    }

    /// Hears an answer of the agent. Returns the version to ask for next, if there is one.
    pub(super) fn hear(&mut self, answer: &Value) -> Option<ProtocolVersion> {
        let open = self.open.take_if(|open| answer.get("id").and_then(Value::as_u64) == Some(open.id))?;
        match self.meaning(&open, answer) {
            Meaning::Speaks => self.unsettled = None,
            Meaning::Asks(version) => return Some(version),
            // A repeat that fails leaves the version that was settled before.
            Meaning::Fails(says) => {
                self.unsettled = self.unsettled.take().map(|_| says);
            }
        }
        None
    }

    /// Fails as long as no version is settled. The error is a sentence for people.
    pub(super) fn settled(&self) -> Result<(), String> {
        self.unsettled.clone().map_or(Ok(()), Err)
    }

    fn meaning(&self, open: &Open, answer: &Value) -> Meaning {
        if let Some(error) = answer.get("error") {
            return match self.next(open, error) {
                Some(version) => Meaning::Asks(version),
                None => Meaning::Fails(format!(
                    "the agent has refused `initialize` in version {}: edit that message and send it again",
                    open.version.0
                )),
            };
        }
        let result = answer.get("result").unwrap_or(&Value::Null);
        let Some(answered) = result.get("protocolVersion").and_then(number) else {
            return Meaning::Fails("the agent's answer to `initialize` has no `protocolVersion`".to_owned());
        };
        let has = |name: &str| result.get(name).is_some_and(|member| !member.is_null());
        // Some agents repeat any number, and answer in the form of version 1.
        let is_of_first = has("agentInfo") || has("agentCapabilities");
        let speaks = match answered {
            ProtocolVersion::V2 if is_of_first || !has("info") => ProtocolVersion::V1,
            answered if answered > ProtocolVersion::V2 && is_of_first => ProtocolVersion::V1,
            answered => answered,
        };
        let is_spoken = if open.is_of_person {
            matches!(speaks, ProtocolVersion::V1 | ProtocolVersion::V2)
        } else {
            self.spoken.contains(&speaks)
        };
        if is_spoken {
            return Meaning::Speaks;
        }
        let spoken: Vec<_> = self.spoken.iter().map(|version| version.0.to_string()).collect();
        Meaning::Fails(format!(
            "the agent speaks version {}, and this page {}: choose another one with `--protocol`",
            speaks.0,
            spoken.join(" and ")
        ))
    }

    /// Returns the version to ask for after a refusal: one that the agent has not refused yet.
    fn next(&self, open: &Open, error: &Value) -> Option<ProtocolVersion> {
        let is_fresh = |version: &&ProtocolVersion| !self.asked.contains(version);
        let mut fresh = self.spoken.iter().filter(is_fresh).filter(|_| !open.is_of_person);
        match error.get("code").and_then(Value::as_i64) {
            Some(UNSUPPORTED_VERSION) => {
                let supported = error.pointer("/data/supported").and_then(Value::as_array);
                let supported: Vec<_> = supported.into_iter().flatten().filter_map(number).collect();
                fresh.find(|version| supported.contains(version)).copied()
            }
            Some(INVALID_PARAMS) if open.version == ProtocolVersion::V2 => {
                fresh.find(|version| **version == ProtocolVersion::V1).copied()
            }
            _ => None,
        }
    }
}

/// Returns the params of `initialize`. The page offers nothing, in either version.
pub(super) fn params(version: ProtocolVersion) -> Value {
    let info = json!({"name": "acp-inspect", "version": env!("CARGO_PKG_VERSION")});
    match version {
        ProtocolVersion::V1 => json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": info}),
        version => json!({"protocolVersion": version.0, "info": info, "capabilities": {}}),
    }
}

fn number(version: &Value) -> Option<ProtocolVersion> {
    version.as_u64().and_then(|version| u16::try_from(version).ok()).map(ProtocolVersion)
}
