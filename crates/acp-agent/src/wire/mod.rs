//! The door: the only folder that knows how the values of the protocol look on the wire.
//!
//! Everything else uses the types of version 1 as its vocabulary, and hands them to the [`Wire`] of
//! its connection, which encodes and decodes them for the version that the connection speaks.

pub(crate) mod ask;
pub(crate) mod background;
pub(crate) mod cancel;
pub(crate) mod degraded;
#[cfg(feature = "shell")]
pub(crate) mod display;
pub(crate) mod entity;
pub(crate) mod flow;
pub(crate) mod gate;
#[cfg(feature = "v2")]
mod history;
pub(crate) mod incoming;
pub(crate) mod initialize;
pub(crate) mod loss;
#[cfg(any(feature = "v2", feature = "unstable"))]
mod one_plan;
mod piece;
pub(crate) mod raw;
pub(crate) mod record;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod steering;
#[cfg(feature = "shell")]
pub(crate) mod terminal;
pub(crate) mod update;
mod v1;
#[cfg(feature = "v2")]
mod v2;

use acp_types::v1::ProtocolVersion;

/// The version of the protocol that a connection speaks.
#[derive(Clone, Debug)]
pub(crate) enum Wire {
    V1,
    #[cfg(feature = "v2")]
    V2,
}

impl Wire {
    /// Returns whether nothing may be sent before `initialize` is answered.
    pub(crate) const fn waits_for_initialized(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }

    /// Returns whether every agent with sessions has to keep them.
    pub(crate) const fn keeps_sessions(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }

    /// Returns whether closing succeeds for a session that is not open.
    pub(crate) const fn closes_unknown_sessions(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }

    pub(crate) const fn version(&self) -> ProtocolVersion {
        match self {
            Wire::V1 => ProtocolVersion::V1,
            #[cfg(feature = "v2")]
            Wire::V2 => ProtocolVersion::V2,
        }
    }
}
