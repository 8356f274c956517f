//! The work that a request of the agent is for the client.

/// The meaning of a request of the agent, for whether the client is at work.
#[derive(Debug)]
pub(crate) enum Work {
    CreatesTerminal,
    ReleasesTerminal(String),
    /// Its answer is the end of the command.
    AwaitsTerminal(String),
    Other,
}
