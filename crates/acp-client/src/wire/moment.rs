//! The order in which messages were read from the wire.

use std::sync::atomic::{AtomicU64, Ordering};

use acp_json::{At, FromNode, Node, ReadError};

/// The position of a message in the order of the wire. Answers and notifications reach the state
/// that they change on different ways, which may take different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl Moment {
    pub(crate) fn now() -> Self {
        static CLOCK: AtomicU64 = AtomicU64::new(1);
        Self(CLOCK.fetch_add(2, Ordering::Relaxed))
    }

    /// Returns the position just before this one. No message of the agent has it.
    pub(crate) const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

/// A result, and its position in the order of the wire.
#[derive(Debug)]
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) at: Moment,
}

impl<T: FromNode> FromNode for Read<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        Ok(Self { value: T::from_node(node, at)?, at: Moment::now() })
    }
}
