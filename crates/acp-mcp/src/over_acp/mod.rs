//! MCP servers that the other side of the ACP connection provides: MCP-over-ACP, rules `acp-mcp-20`
//! to `-26`.

mod caller;
mod dial;
mod link;
#[cfg(feature = "provider")]
mod provider;
mod transport;

pub use self::caller::{AcpCaller, Answering};
pub(crate) use self::dial::{AcpDial, error_in};
pub use self::link::{AcpLink, Delivering};
#[cfg(feature = "provider")]
pub use self::provider::{McpProvider, ProvideError, ProvideRequests};
