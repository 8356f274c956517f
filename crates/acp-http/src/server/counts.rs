//! Numbers of a server, for its metrics.

/// Numbers of a [`Server`](super::Server) at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The connections, each with its agent.
    pub connections: usize,
    /// The part of them that is not initialized yet.
    pub uninitialized: usize,
    /// The connections that were opened since the start.
    pub opened: u64,
    /// The connections that were refused since the start, because of a limit or a shutdown.
    pub refused: u64,
    /// The requests that were refused since the start because nobody knows who sent them.
    pub unauthorized: u64,
}
