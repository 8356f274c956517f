#![doc = include_str!("lib.md")]
#![cfg_attr(
    not(any(feature = "stdio", feature = "http", feature = "over-acp")),
    allow(dead_code, reason = "without a transport there is nobody to talk to")
)]

mod content;
mod elicit;
mod error;
mod extension;
#[cfg(feature = "http")]
mod http;

mod names;
mod negotiate;
#[cfg(feature = "over-acp")]
mod over_acp;
mod session;
#[cfg(feature = "stdio")]
mod stdio;
mod timeouts;
mod tools;
mod url_elicitation;
mod version;
mod wire;

pub use content::ToolOutcome;
pub use elicit::{ElicitMode, ElicitRequest, Elicitation, ElicitationModes};
pub use error::McpError;
pub use extension::{ExtensionId, InvalidExtensionId, OnMissing};
#[cfg(feature = "oauth")]
pub use http::oauth::{
    AuthorizationError, AuthorizationPage, Authorizer, AuthorizerAnswer, CredentialStore, Credentials, OAuth,
    OAuthClient, Redirect,
};
#[cfg(feature = "__tls")]
pub use http::{InvalidRootCertificates, TlsOptions};
pub use negotiate::cache::{EraCache, EraStore, ServerKey};
#[cfg(feature = "over-acp")]
pub use over_acp::{AcpCallError, AcpCaller, AcpLink, Answering, Telling};
#[cfg(feature = "provider")]
pub use over_acp::{McpProvider, ProvideError, ProvideRequests};
pub use session::{
    Builder, CallOptions, CloseReason, Event, Events, Guard, McpSession, Notification, Progress,
    ResourceUpdate, Server, ServerInfo, ServerStatus, ToolsStatus,
};
#[cfg(feature = "stdio")]
pub use stdio::{EnvPolicy, OnStderr, StdioOptions};
pub use timeouts::Timeouts;
pub use tools::QualifiedTool;
pub use url_elicitation::{NotVisited, UrlElicitation};
pub use version::{Era, ProtocolVersion, VersionPolicy};

/// The crate whose types appear here: messages of MCP, and [`rmcp::Peer`] for what has no method of its own.
pub use rmcp;
pub use rmcp::model::Implementation;
pub use tokio_util::sync::CancellationToken;

use acp_types::v1::McpCapabilities;

/// The transports that this build has, for the answer to `initialize` (rule `acp-mcp-04`): `agentCapabilities` and its
/// `mcpCapabilities`. stdio needs no capability.
///
/// ```
/// let capabilities = acp_mcp::agent_mcp_capabilities();
/// assert_eq!(capabilities.http, cfg!(feature = "http"));
/// ```
#[must_use]
pub fn agent_mcp_capabilities() -> McpCapabilities {
    let capabilities = McpCapabilities::new().http(cfg!(feature = "http")).sse(cfg!(feature = "sse"));
    #[cfg(feature = "over-acp")]
    let capabilities = capabilities.acp(true);
    capabilities
}
