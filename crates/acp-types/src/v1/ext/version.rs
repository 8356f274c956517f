//! The versions that this crate has types for.

use crate::v1::ProtocolVersion;

impl ProtocolVersion {
    /// Version 1.
    pub const V1: Self = Self(1);

    /// The newest version that this crate speaks.
    pub const LATEST: Self = Self::V1;
}
