//! What is known of a server.

use std::sync::Arc;

use rmcp::model::{Implementation, ServerCapabilities};
use serde::de::DeserializeOwned;

use super::extension::ExtensionId;
use super::version::{Era, ProtocolVersion};
use crate::error::McpError;

/// How a server is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerStatus {
    /// It is being connected, for the first time or again.
    Connecting,
    /// It is not connected, and an authorization is going on: it waits for the user, and is connected after that.
    Authorizing,
    /// It is connected.
    Connected(Arc<ServerInfo>),
    /// It is not connected, and will not be.
    Failed(McpError),
    /// The session was shut down.
    Closed,
}

impl ServerStatus {
    /// What is known of it, if it is connected.
    #[must_use]
    pub const fn info(&self) -> Option<&Arc<ServerInfo>> {
        match self {
            Self::Connected(info) => Some(info),
            _ => None,
        }
    }

    /// Why it is not connected.
    #[must_use]
    pub const fn failure(&self) -> Option<&McpError> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

/// Why a server is not connected any more.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CloseReason {
    /// The session was shut down, or nobody holds it any more.
    Shutdown,
    /// It could not be connected, or ended by itself too often.
    Failed(McpError),
}

/// What a connected server has said of itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// How the version was agreed on.
    pub era: Era,
    /// The version that is spoken.
    pub version: ProtocolVersion,
    /// What it can do.
    pub capabilities: ServerCapabilities,
    /// Extensions that both sides have.
    pub extensions: Vec<ExtensionId>,
    /// How it wants to be used, for the model: at most 64 KiB of it.
    pub instructions: Option<String>,
    /// Its name and version, for people: nothing may depend on them (rule `mcp-neg-11`).
    pub implementation: Option<Implementation>,
}

impl ServerInfo {
    /// Whether both sides have an extension.
    #[must_use]
    pub fn has_extension(&self, id: &ExtensionId) -> bool {
        self.extensions.contains(id)
    }

    /// The server's settings of an extension that both sides have (rule `mcp-neg-18`). `None` when they do not, or
    /// when the settings are not a `T`.
    #[must_use]
    pub fn extension_settings<T: DeserializeOwned>(&self, id: &ExtensionId) -> Option<T> {
        let settings = self.capabilities.extensions.as_ref()?.get(id.as_str())?;
        let settings = serde_json::Value::Object(settings.clone());
        self.has_extension(id).then(|| serde_json::from_value(settings).ok())?
    }

    /// Whether it has tools.
    #[must_use]
    pub const fn supports_tools(&self) -> bool {
        self.capabilities.tools.is_some()
    }

    /// Whether it has prompts.
    #[must_use]
    pub const fn supports_prompts(&self) -> bool {
        self.capabilities.prompts.is_some()
    }

    /// Whether it has resources.
    #[must_use]
    pub const fn supports_resources(&self) -> bool {
        self.capabilities.resources.is_some()
    }

    /// Whether it tells of changes of single resources.
    #[must_use]
    pub fn supports_resource_subscribe(&self) -> bool {
        self.capabilities.resources.as_ref().is_some_and(|resources| resources.subscribe == Some(true))
    }

    /// Whether it completes arguments.
    #[must_use]
    pub const fn supports_completions(&self) -> bool {
        self.capabilities.completions.is_some()
    }
}

/// How the list of a server's tools is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolsStatus {
    /// The server is not connected, or its list has not come yet.
    Unknown,
    /// The server has no tools.
    NotOffered,
    /// So many.
    Listed(usize),
    /// The list could not be had; tools of an earlier list stay.
    Failed(McpError),
}
