//! Agents that are started again when they end.

mod agent;
mod builder;
mod entries;
mod forward;
mod plan;
mod restart;
mod restore;
mod session;
mod state;
mod supervisor;

pub use agent::ReconnectingAgent;
pub use builder::{Reconnect, reconnecting};
pub use restart::Restart;
pub use session::ReconnectingSession;
pub use state::AgentStatus;
