//! The version of the protocol that a check is of.

/// The version of the protocol that a check is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// Version 1.
    #[default]
    V1,
    /// Version 2, a draft.
    #[cfg(feature = "v2")]
    V2,
}

impl Version {
    /// Returns its number: the value of `protocolVersion`.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Version::V1 => 1,
            #[cfg(feature = "v2")]
            Version::V2 => 2,
        }
    }
}
