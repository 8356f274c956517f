//! The protocol versions that this crate has types for.

use crate::v1::ProtocolVersion;

impl ProtocolVersion {
    /// Version 1.
    pub const V1: Self = Self(1);

    /// Version 2, a draft.
    #[cfg(feature = "v2")]
    pub const V2: Self = Self(2);

    /// The newest version that this crate speaks and that is not a draft.
    pub const LATEST: Self = Self::V1;
}
