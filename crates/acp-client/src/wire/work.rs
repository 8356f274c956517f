//! The work that a request of the agent is for the client.

use acp_rpc::Reply;

/// The meaning of a request of the agent, for whether the client is at work.
#[derive(Debug)]
pub(crate) enum Work {
    /// Its answer has the id of the terminal, which this function reads.
    CreatesTerminal(fn(&Reply) -> Option<String>),
    ReleasesTerminal(String),
    /// Its answer is the end of the command.
    AwaitsTerminal(String),
    Other,
}
