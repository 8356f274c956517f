#![doc = include_str!("mcp.md")]

#[cfg(feature = "mcp-oauth")]
mod authorize;
mod call;
mod calls;
mod elicit;
mod mcp;
mod named;
mod options;
#[cfg(feature = "unstable")]
mod over_acp;
mod report;
mod servers;
mod status;
mod tool;

#[cfg(feature = "mcp-oauth")]
pub use acp_mcp::{
    AuthorizationPage, Authorizer, AuthorizerAnswer, CredentialStore, Credentials, OAuth, OAuthClient,
    Redirect,
};
pub use acp_mcp::{EnvPolicy, StdioOptions, Timeouts, ToolOutcome};

pub use self::mcp::Mcp;
pub use self::options::Options;
pub(crate) use self::servers::{OfSession, Servers};
pub use self::status::{Server, State};
pub use self::tool::Tool;
