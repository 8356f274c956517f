//! The status of a server, and the facts that it has told about itself.

use std::sync::Arc;

use rmcp::model::{Implementation, ServerCapabilities};
use serde::de::DeserializeOwned;

use super::extension::ExtensionId;
use super::version::{Era, ProtocolVersion};
use crate::error::McpError;

/// The status of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerStatus {
    /// The server is being connected, for the first time or again.
    Connecting,
    /// An authorization by the user is under way. The server is connected afterwards.
    Authorizing,
    /// The server is connected.
    Connected(Arc<ServerInfo>),
    /// The server is not connected, and will not be connected.
    Failed(McpError),
    /// The session was shut down.
    Closed,
}

impl ServerStatus {
    /// Returns the facts about the server, if it is connected.
    #[must_use]
    pub const fn info(&self) -> Option<&Arc<ServerInfo>> {
        match self {
            Self::Connected(info) => Some(info),
            _ => None,
        }
    }

    /// Returns the reason why the server is not connected.
    #[must_use]
    pub const fn failure(&self) -> Option<&McpError> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

/// The reason why a server is not connected any more.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CloseReason {
    /// The session was shut down, or its last handle was dropped.
    Shutdown,
    /// The server could not be connected, or ended by itself too often.
    Failed(McpError),
}

/// The facts that a connected server has told about itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The era, which decides how the version was agreed on.
    pub era: Era,
    /// The version of MCP that is in use.
    pub version: ProtocolVersion,
    /// The capabilities of the server.
    pub capabilities: ServerCapabilities,
    /// The extensions that both sides have.
    pub extensions: Vec<ExtensionId>,
    /// The server's instructions for the model, at most 64 KiB.
    pub instructions: Option<String>,
    /// The name and the version of the server, for people. Nothing may depend on them.
    pub implementation: Option<Implementation>,
}

impl ServerInfo {
    /// Tells whether both sides have an extension.
    #[must_use]
    pub fn has_extension(&self, id: &ExtensionId) -> bool {
        self.extensions.contains(id)
    }

    /// Returns the server's settings of an extension that both sides have. `None` when one side
    /// lacks the extension, or when the settings are not a `T`.
    #[must_use]
    pub fn extension_settings<T: DeserializeOwned>(&self, id: &ExtensionId) -> Option<T> {
        let settings = self.capabilities.extensions.as_ref()?.get(id.as_str())?;
        let settings = serde_json::Value::Object(settings.clone());
        self.has_extension(id).then(|| serde_json::from_value(settings).ok())?
    }

    /// Tells whether the server has tools.
    #[must_use]
    pub const fn supports_tools(&self) -> bool {
        self.capabilities.tools.is_some()
    }

    /// Tells whether the server has prompts.
    #[must_use]
    pub const fn supports_prompts(&self) -> bool {
        self.capabilities.prompts.is_some()
    }

    /// Tells whether the server has resources.
    #[must_use]
    pub const fn supports_resources(&self) -> bool {
        self.capabilities.resources.is_some()
    }

    /// Tells whether the server reports changes of single resources.
    #[must_use]
    pub fn supports_resource_subscribe(&self) -> bool {
        self.capabilities.resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true))
    }

    /// Tells whether the server completes arguments.
    #[must_use]
    pub const fn supports_completions(&self) -> bool {
        self.capabilities.completions.is_some()
    }
}

/// The status of the list of a server's tools.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolsStatus {
    /// The server is not connected, or has not sent its list yet.
    Unknown,
    /// The server has no tools.
    NotOffered,
    /// The list is there, with this many tools.
    Listed(usize),
    /// The list could not be fetched. The tools of an earlier list stay.
    Failed(McpError),
}
