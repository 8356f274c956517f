//! JSON-RPC errors, and their meaning for the negotiation.

use rmcp::model::{ErrorData, ProtocolVersion};
use serde_json::Value;

use crate::error::shortened;
use crate::values::version::Era;

/// The codes that have a meaning in MCP. The first three are those of 2026-07-28. Pre-releases of
/// it used the last one instead of the first.
const UNSUPPORTED_VERSION: i32 = -32022;
const MISSING_CAPABILITY: i32 = -32021;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION_BEFORE: i32 = -32004;

/// The code of legacy servers for an unknown resource. Modern servers use the next one, and name
/// the resource.
const RESOURCE_NOT_FOUND_BEFORE: i32 = -32002;
const INVALID_PARAMS: i32 = -32602;

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

/// The meaning of a JSON-RPC error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The version is not supported, and these are. An empty list means that the error has none.
    Versions(Vec<ProtocolVersion>),
    /// Perhaps [`Versions`](Self::Versions), by the code of a pre-release, which may mean anything
    /// else (`mcp-neg-15`).
    MaybeVersions(Vec<ProtocolVersion>),
    /// The server needs these capabilities, which were not declared.
    MissingCapability(Vec<String>),
    HeaderMismatch,
    /// Nothing that shows a modern server.
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

    /// Returns the unknown resource, if the error means that. The name is empty when the error has
    /// none.
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
        // Entries of another type are left out.
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
