//! What a JSON-RPC error says about the server that sent it.

use rmcp::model::{ErrorData, ProtocolVersion};
use serde_json::Value;

use crate::error::shortened;
use crate::values::version::Era;

/// The codes that MCP gives a meaning to here. In 2026-07-28 they are the first three; the last is what pre-releases of
/// it had for the first.
const UNSUPPORTED_VERSION: i32 = -32022;
const MISSING_CAPABILITY: i32 = -32021;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION_BEFORE: i32 = -32004;

/// What legacy servers say of a resource that is not there. Modern ones have the next for it, and name the resource.
const RESOURCE_NOT_FOUND_BEFORE: i32 = -32002;
const INVALID_PARAMS: i32 = -32602;

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

/// What it means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The version is not supported; these are. None: it says nothing of them.
    Versions(Vec<ProtocolVersion>),
    /// The same from before the release: the code may mean anything (`mcp-neg-15`).
    MaybeVersions(Vec<ProtocolVersion>),
    /// These capabilities were not declared.
    MissingCapability(Vec<String>),
    HeaderMismatch,
    /// Nothing that only a modern server says.
    Other,
}

impl Fault {
    #[cfg(test)]
    pub(crate) fn new(code: i32, data: Option<Value>) -> Self {
        Self { code, message: String::new(), data }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match (self.code, self.supported()) {
            (UNSUPPORTED_VERSION, listed) => Verdict::Versions(listed.unwrap_or_default()),
            (UNSUPPORTED_VERSION_BEFORE, Some(listed)) => Verdict::MaybeVersions(listed),
            (MISSING_CAPABILITY, _) => Verdict::MissingCapability(self.required()),
            (HEADER_MISMATCH, _) => Verdict::HeaderMismatch,
            _ => Verdict::Other,
        }
    }

    /// The resource that is not there, if that is what the error says of a request for one; empty when it does not name it.
    pub(crate) fn missing_resource(&self, era: Era) -> Option<String> {
        let named = self.data.as_ref().and_then(|data| data.get("uri")).and_then(Value::as_str);
        match (era, self.code) {
            (Era::Legacy, RESOURCE_NOT_FOUND_BEFORE) => Some(named.unwrap_or_default().to_owned()),
            (Era::Modern, INVALID_PARAMS) => named.map(str::to_owned),
            _ => None,
        }
    }

    fn supported(&self) -> Option<Vec<ProtocolVersion>> {
        let listed = self.data.as_ref()?.get("supported")?.as_array()?;
        // An entry of another type is no version; the others are.
        Some(listed.iter().filter_map(|version| serde_json::from_value(version.clone()).ok()).collect())
    }

    fn required(&self) -> Vec<String> {
        let required = self.data.as_ref().and_then(|data| data.get("requiredCapabilities"));
        let names = required.and_then(Value::as_object).into_iter().flat_map(|names| names.keys());
        names.map(|name| shortened(name)).collect()
    }
}

impl From<ErrorData> for Fault {
    fn from(error: ErrorData) -> Self {
        Self { code: error.code.0, message: error.message.into_owned(), data: error.data }
    }
}
