//! The version that this module has types for.

use crate::v2::ProtocolVersion;

impl ProtocolVersion {
    /// Version 2.
    pub const V2: Self = Self(2);
}
