//! The end of components, and what follows from it.

use std::fmt;

use acp_rpc::Driver;

use super::component::Failure;

/// The consequence of the end of a proxy's process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Policy {
    /// The chain ends.
    #[default]
    Required,
    /// The proxy is left out from then on: its neighbors are joined. Sessions go on without it.
    Optional,
    /// The proxy is started again, at most so many times. Messages wait for it meanwhile. Once more
    /// and the chain ends.
    Restart(u32),
}

/// Something that the supervisor of a chain has to do.
pub(crate) enum Incident {
    /// A connection has been made, and has to be driven.
    Started(Driver),
    /// The chain has failed.
    Failed { failure: Failure, was_initialized: bool },
    /// A proxy has to be started again.
    Restart(usize),
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => f.write_str("required"),
            Self::Optional => f.write_str("optional"),
            Self::Restart(times) => write!(f, "restart {times} times"),
        }
    }
}

impl fmt::Debug for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started(_) => f.write_str("Started"),
            Self::Failed { failure, .. } => f.debug_tuple("Failed").field(failure).finish(),
            Self::Restart(index) => f.debug_tuple("Restart").field(index).finish(),
        }
    }
}
