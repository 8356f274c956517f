//! The words of a version: those of the checker as a client, and the names of capabilities.

use serde_json::Value;

use super::client::{self, Permission};
#[cfg(feature = "v2")]
use super::v2::client as client_2;
use super::verdict::Stop;
use super::version::Version;
use crate::peer::Message;

impl Version {
    /// Returns the params of `initialize`.
    pub(super) fn hello(self, capabilities: &Value) -> Value {
        match self {
            Version::V1 => client::initialize(capabilities),
            #[cfg(feature = "v2")]
            Version::V2 => client_2::initialize(capabilities),
        }
    }

    /// Returns the capabilities of a client that offers everything.
    pub(super) fn everything(self) -> Value {
        match self {
            Version::V1 => client::everything(),
            #[cfg(feature = "v2")]
            Version::V2 => client_2::everything(),
        }
    }

    /// Returns the name of the agent's capabilities in the result of `initialize`.
    pub(super) const fn capabilities(self) -> &'static str {
        match self {
            Version::V1 => "agentCapabilities",
            #[cfg(feature = "v2")]
            Version::V2 => "capabilities",
        }
    }

    /// Returns the name of the client's capabilities in the params of `initialize`.
    pub(super) const fn offers(self) -> &'static str {
        match self {
            Version::V1 => "clientCapabilities",
            #[cfg(feature = "v2")]
            Version::V2 => "capabilities",
        }
    }

    /// Returns true if the value of a capability offers something.
    pub(super) fn is_offer(self, value: &Value) -> bool {
        match self {
            Version::V1 => !matches!(value, Value::Null | Value::Bool(false)),
            #[cfg(feature = "v2")]
            Version::V2 => value.is_object(),
        }
    }

    /// Stops a scenario if the agent has chosen another version.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "any choice will do for version 1"))]
    pub(super) fn agreed(self, result: &Value) -> Result<(), Stop> {
        match self {
            Version::V1 => Ok(()),
            #[cfg(feature = "v2")]
            Version::V2 => match result.get("protocolVersion").and_then(Value::as_u64) {
                Some(2) => Ok(()),
                _ => Err(Stop::Inconclusive("the agent does not choose version 2".to_owned())),
            },
        }
    }

    /// Returns the answer to a request of the agent, `None` if it waits for the scenario.
    pub(super) fn answer(self, request: &Message, permission: Permission) -> Option<Value> {
        match self {
            Version::V1 => client::answer(request, permission),
            #[cfg(feature = "v2")]
            Version::V2 => client_2::answer(request, permission),
        }
    }
}
