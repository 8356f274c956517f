//! The rules of the protocol, run against any client.

mod agent;
mod case;
mod cases;
mod options;
mod passive;
mod reach;
mod run;
mod stage;
mod start;

pub use self::options::ClientOptions;
pub(super) use self::passive::RULES;
pub use self::run::ClientChecker;
pub use self::start::agent_side::agent_side;
pub use self::start::running::{AgentStart, Running};
pub use self::start::target::ClientTarget;

/// Returns the rules that active cases judge, and the number of those cases.
pub(super) fn active() -> (Vec<&'static str>, usize) {
    let cases = cases::all();
    (cases.iter().map(|case| case.rule).collect(), cases.len())
}
