//! The versions that this crate has types for.

use crate::v1::ProtocolVersion;

impl ProtocolVersion {
    /// Version 1.
    pub const V1: Self = Self(1);

    /// Version 2, a draft.
    #[cfg(feature = "v2")]
    pub const V2: Self = Self(2);

    /// The newest version that is no draft, and that this crate speaks.
    pub const LATEST: Self = Self::V1;
}
