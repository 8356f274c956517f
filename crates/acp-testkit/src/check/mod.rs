//! The rules of the protocol, run against any agent or client (feature `check`).
//!
//! A [`Checker`] plays clients to an agent and judges what it says, rule by rule. A
//! [`ClientChecker`] plays agents to a client. The rules are those of the
//! [rule book](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md). Some are judged by a
//! scenario of their own, such as a request that must be refused. Others are judged over every line
//! of all scenarios, such as the form of messages.
//!
//! [`Options::version`] is the version of the protocol, 1 or (with the feature `v2`) 2. In version
//! 2, the rules of version 1 that hold as they are keep their ids.
//!
//! An agent that offers little and does it right passes: rules of what it does not offer are [not
//! applicable](Verdict::NotApplicable). A rule that could not be judged, because the model never
//! got to the step or time ran out, is [inconclusive](Verdict::Inconclusive).
//!
//! [`observe`] judges a conversation that somebody else has had, such as a recorded one.
//!
//! The form of messages is judged by the types of `acp-types`: a payload fits if its type reads it
//! and passes over nothing. Members of the unstable schema are known with the feature `unstable`.
//!
//! ```no_run
//! use acp_testkit::check::{Checker, Options, Target};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let target = Target::command("my-agent", ["--acp"]);
//! let report = Checker::new(target, Options::default()).run().await;
//! assert_eq!(report.status(false).exit_code(), 0, "{report}");
//! # }
//! ```

mod case;
mod cases;
mod checker;
mod client;
mod client_side;
mod dialect;
mod either;
mod evidence;
mod loopback;
mod mcp_side;
mod never;
mod observed;
mod options;
mod passive;
mod report;
mod rules;
mod run;
mod subject;
mod suite;
mod target;
mod tester;
#[cfg(feature = "v2")]
mod v2;
mod verdict;
mod version;

pub use self::checker::Checker;
pub use self::client_side::{AgentStart, ClientChecker, ClientOptions, ClientTarget, Running, agent_side};
pub use self::mcp_side::mcp_side;
pub use self::never::Never;
pub use self::observed::{Breach, observe};
pub use self::options::Options;
pub use self::report::{Baseline, Coverage, Report, Status, Unsteady};
pub use self::rules::{Rule, Strength};
pub use self::target::Target;
pub use self::verdict::{Outcome, Verdict};
pub use self::version::Version;
