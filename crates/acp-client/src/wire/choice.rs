//! The version that a connection has settled on.

#[cfg(feature = "v2")]
use std::sync::atomic::{AtomicBool, Ordering};

use crate::wire::Wire;

/// The version of a connection: version 1 until `initialize` has settled on another.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    #[cfg(feature = "v2")]
    is_v2: AtomicBool,
}

impl Choice {
    #[cfg(not(feature = "v2"))]
    #[expect(clippy::unused_self, reason = "there is a choice with version 2")]
    pub(crate) const fn wire(&self) -> Wire {
        Wire::V1
    }

    #[cfg(feature = "v2")]
    pub(crate) fn wire(&self) -> Wire {
        if self.is_v2.load(Ordering::Relaxed) { Wire::V2 } else { Wire::V1 }
    }

    /// Settles on a version, before anything of a session is sent.
    #[cfg_attr(not(feature = "v2"), expect(clippy::unused_self, reason = "there is one version"))]
    pub(crate) fn settle(&self, wire: Wire) {
        match wire {
            #[cfg(not(feature = "v2"))]
            Wire::V1 => {}
            #[cfg(feature = "v2")]
            wire => self.is_v2.store(wire == Wire::V2, Ordering::Relaxed),
        }
    }
}
