//! A proxy in this process: its handlers, and its place in a chain.

mod builder;
mod capabilities;
mod handler;
mod local;
mod mcp;
#[cfg(feature = "v2")]
mod modes;
mod neighbor;
mod next;
mod observed;
#[cfg(feature = "v2")]
mod prompt;
#[cfg(feature = "v2")]
mod seen;
mod start;
mod turns;
mod update;
mod vocabulary;
mod ways;

pub use self::builder::Proxy;
#[doc(hidden)]
pub use self::handler::served;
pub use self::mcp::McpCall;
pub use self::neighbor::{Neighbor, OverBudget};
pub use self::next::{Next, Pass};
pub use self::observed::Observed;
pub use self::update::UpdateError;

pub(crate) use self::local::Local;
pub(crate) use self::ways::OnFault;
