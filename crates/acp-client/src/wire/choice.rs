//! The version that a connection has settled on.

#[cfg(feature = "v2")]
use std::sync::atomic::{AtomicBool, Ordering};

use crate::wire::Wire;

/// The version of a connection: version 1 until `initialize` has settled on another.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    #[cfg(feature = "v2")]
    is_v2: AtomicBool,
    /// True if version 2 is spoken here, and not by the agent.
    #[cfg(feature = "v2")]
    was_v2_wanted: AtomicBool,
}

#[cfg(feature = "v2")]
impl Choice {
    pub(crate) fn wire(&self) -> Wire {
        if self.is_v2.load(Ordering::Relaxed) { Wire::V2 } else { Wire::V1 }
    }

    /// Returns true if the client reads the states of sessions, and the agent cannot report them.
    pub(crate) fn shows_states(&self) -> bool {
        self.was_v2_wanted.load(Ordering::Relaxed)
    }

    /// Settles on a version among those that are spoken here.
    pub(crate) fn settle(&self, wire: Wire, spoken: &[Wire]) {
        let is_v2 = wire == Wire::V2;
        self.is_v2.store(is_v2, Ordering::Relaxed);
        self.was_v2_wanted.store(!is_v2 && spoken.contains(&Wire::V2), Ordering::Relaxed);
    }
}

#[cfg(not(feature = "v2"))]
#[expect(clippy::unused_self, reason = "there is a choice with version 2")]
impl Choice {
    pub(crate) const fn wire(&self) -> Wire {
        Wire::V1
    }

    pub(crate) const fn shows_states(&self) -> bool {
        false
    }

    pub(crate) const fn settle(&self, _: Wire, _: &[Wire]) {}
}
