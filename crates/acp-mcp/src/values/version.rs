//! Versions of MCP, their eras, and the policy that chooses among them.

use std::fmt;

pub use rmcp::model::ProtocolVersion;

/// The two ways in which MCP settles the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// 2026-07-28 and later: version and capabilities travel on every request.
    Modern,
    /// 2025-11-25 and earlier: a handshake, `initialize`, settles them for the connection.
    Legacy,
}

impl Era {
    /// Returns the era of a version, or `None` for text that is not a date.
    #[must_use]
    pub fn of(version: &ProtocolVersion) -> Option<Self> {
        let text = version.as_str();
        let is_date = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        // Dates written this way sort as text.
        is_date.then(|| if version.has_initialize() { Self::Legacy } else { Self::Modern })
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
        })
    }
}

/// Every version that this crate speaks, newest first.
pub(crate) const SPOKEN: [ProtocolVersion; 5] = [
    ProtocolVersion::V_2026_07_28,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2024_11_05,
];

/// The versions of MCP that may be agreed on.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum VersionPolicy {
    /// Every version that both sides speak, the newest preferred. The default.
    #[default]
    Auto,
    /// No older version than this one.
    AtLeast(ProtocolVersion),
    /// This version and no other.
    Only(ProtocolVersion),
    /// Versions with a handshake. Servers are not probed.
    LegacyOnly,
}

impl VersionPolicy {
    /// Tells whether a version may be agreed on.
    #[must_use]
    pub fn allows(&self, version: &ProtocolVersion) -> bool {
        SPOKEN.contains(version)
            && match self {
                Self::Auto => true,
                Self::AtLeast(least) => version.as_str() >= least.as_str(),
                Self::Only(only) => version == only,
                Self::LegacyOnly => Era::of(version) == Some(Era::Legacy),
            }
    }

    /// Returns the versions of an era that may be agreed on, newest first.
    pub(crate) fn versions(&self, era: Era) -> Vec<ProtocolVersion> {
        let of_era = |version: &ProtocolVersion| Era::of(version) == Some(era) && self.allows(version);
        SPOKEN.into_iter().filter(of_era).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> ProtocolVersion {
        serde_json::from_value(text.into()).unwrap()
    }

    #[test]
    fn mcp_neg_01_dates_have_an_era_and_other_text_has_none() {
        for (text, era) in [
            ("2026-07-28", Some(Era::Modern)),
            ("2027-01-01", Some(Era::Modern)),
            ("2026-07-27", Some(Era::Legacy)),
            ("2025-11-25", Some(Era::Legacy)),
            ("1900-01-01", Some(Era::Legacy)),
            ("DRAFT-2026-v1", None),
            ("2026-7-28", None),
            ("", None),
        ] {
            assert_eq!(Era::of(&version(text)), era, "{text}");
        }
    }

    #[test]
    fn policies_allow_only_versions_that_are_spoken() {
        let (new, old, unknown) = (version("2026-07-28"), version("2025-06-18"), version("2099-01-01"));
        for (policy, allowed) in [
            (VersionPolicy::Auto, [true, true, false]),
            (VersionPolicy::AtLeast(new.clone()), [true, false, false]),
            (VersionPolicy::AtLeast(old.clone()), [true, true, false]),
            (VersionPolicy::Only(old.clone()), [false, true, false]),
            (VersionPolicy::Only(unknown.clone()), [false, false, false]),
            (VersionPolicy::LegacyOnly, [false, true, false]),
        ] {
            let got = [&new, &old, &unknown].map(|version| policy.allows(version));
            assert_eq!(got, allowed, "{policy:?}");
        }
    }
}
