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

use super::passive::Findings;
use super::subject::Recording;

/// Judges the lines of a client by the rules of version 2, or else of version 1.
pub(super) fn observe(is_second: bool, recordings: &[Recording]) -> Findings {
    #[cfg(feature = "v2")]
    if is_second {
        return v2::judge(recordings);
    }
    let _ = is_second;
    passive::judge(recordings)
}
