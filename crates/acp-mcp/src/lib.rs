#![doc = include_str!("lib.md")]
#![cfg_attr(
    not(any(feature = "stdio", feature = "http", feature = "over-acp")),
    allow(dead_code, reason = "without a transport there is nobody to talk to")
)]

mod error;
#[cfg(feature = "http")]
mod http;
mod negotiate;
#[cfg(feature = "over-acp")]
mod over_acp;
mod session;
#[cfg(feature = "stdio")]
mod stdio;
mod values;
mod wire;

#[cfg(feature = "over-acp")]
pub use error::AcpCallError;
#[cfg(feature = "oauth")]
pub use error::AuthorizationError;
pub use error::{McpError, NotVisited, UrlElicitation};
#[cfg(feature = "oauth")]
pub use http::oauth::{
    AuthorizationPage, Authorizer, AuthorizerAnswer, CredentialStore, Credentials, OAuth, OAuthClient,
    Redirect,
};
#[cfg(feature = "__tls")]
pub use http::{InvalidRootCertificates, TlsOptions};
pub use negotiate::era_cache::{EraCache, EraStore, ServerKey};
#[cfg(feature = "over-acp")]
pub use over_acp::{AcpCaller, AcpLink, Answering, Delivering};
#[cfg(feature = "provider")]
pub use over_acp::{McpProvider, ProvideError, ProvideRequests};
pub use session::{
    Builder, CallOptions, Event, Events, HandlerGuard, McpSession, Notification, ResourceUpdate, Server,
};
#[cfg(feature = "stdio")]
pub use stdio::{EnvPolicy, OnStderr, StdioOptions};
pub use values::elicitation::{ElicitMode, ElicitRequest, Elicitation, ElicitationModes};
pub use values::extension::{ExtensionId, InvalidExtensionId, OnMissing};
pub use values::qualified_tool::QualifiedTool;
pub use values::server_info::{CloseReason, ServerInfo, ServerStatus, ToolsStatus};
pub use values::timeouts::Timeouts;
pub use values::tool_outcome::ToolOutcome;
pub use values::version::{Era, ProtocolVersion, VersionPolicy};
pub use wire::progress::Progress;

/// The crate whose types this interface uses: messages of MCP, and [`rmcp::Peer`] for other
/// requests.
pub use rmcp;
pub use rmcp::model::Implementation;
pub use tokio_util::sync::CancellationToken;

use acp_types::v1::McpCapabilities;

/// Returns the transports of this build for the `mcpCapabilities` in the answer to `initialize`.
/// stdio needs no capability.
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
