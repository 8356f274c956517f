//! The rules of the protocol, run against any client.

mod agent;
mod cases;
mod checker;
mod options;
mod passive;
mod reach;
mod stage;
mod start;
mod suite;
#[cfg(feature = "v2")]
mod v2;

pub use self::checker::ClientChecker;
pub use self::options::ClientOptions;
pub use self::start::agent_side::agent_side;
pub use self::start::running::{AgentStart, Running};
pub use self::start::target::ClientTarget;
pub(super) use self::suite::of_clients;
