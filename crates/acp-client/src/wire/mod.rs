//! The door: the only folder that knows how the values of the protocol look on the wire.
//!
//! Everything else uses the types of version 1 as its vocabulary, and hands them to the [`Wire`] of
//! its connection, which encodes and decodes them for the version that the connection speaks.

pub(crate) mod ask;
pub(crate) mod cancel;
pub(crate) mod choice;
pub(crate) mod end;
pub(crate) mod entity;
pub(crate) mod file_changes;
pub(crate) mod fit;
pub(crate) mod flow;
pub(crate) mod incoming;
pub(crate) mod initialize;
pub(crate) mod initialized;
pub(crate) mod loss;
pub(crate) mod mode;
pub(crate) mod moment;
pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod question;
pub(crate) mod steering;
pub(crate) mod update;
mod v1;
#[cfg(feature = "v2")]
mod v2;
pub(crate) mod work;

use acp_types::v1::ProtocolVersion;

/// The version of the protocol that a connection speaks. The default is the version that an agent
/// is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wire {
    #[default]
    V1,
    #[cfg(feature = "v2")]
    V2,
}

impl Wire {
    pub(crate) const fn version(self) -> ProtocolVersion {
        match self {
            Self::V1 => ProtocolVersion::V1,
            #[cfg(feature = "v2")]
            Self::V2 => ProtocolVersion::V2,
        }
    }

    /// Returns the name of a capability as the agent writes it. `capability` is its name in version
    /// 1.
    pub(crate) fn capability(self, capability: &'static str) -> &'static str {
        match self {
            Self::V1 => capability,
            #[cfg(feature = "v2")]
            Self::V2 => v2::initialize::capability(capability),
        }
    }
}
