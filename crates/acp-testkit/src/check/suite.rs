//! The scenarios and rules of a version.

use super::case::Case;
use super::passive::{self, Findings};
use super::tester::{Recording, Step, Tester};
#[cfg(feature = "v2")]
use super::v2;
use super::version::Version;
use super::{cases, evidence};

impl Version {
    /// Returns the active cases. Those that share a connection stand before the others.
    pub(super) fn cases(self) -> Vec<&'static Case> {
        match self {
            Version::V1 => cases::all(),
            #[cfg(feature = "v2")]
            Version::V2 => v2::cases(),
        }
    }

    /// Returns the ids of the rules that are judged over every line.
    pub(super) fn passive(self) -> Vec<&'static str> {
        match self {
            Version::V1 => passive::RULES.to_vec(),
            #[cfg(feature = "v2")]
            Version::V2 => v2::passive_rules(),
        }
    }

    /// Judges every line of all recordings.
    pub(super) fn judge(self, recordings: &[Recording]) -> Findings {
        match self {
            Version::V1 => passive::judge(recordings),
            #[cfg(feature = "v2")]
            Version::V2 => v2::judge(recordings),
        }
    }

    /// Fails if the agent does not speak this version, so that none of its rules says anything.
    #[cfg_attr(
        not(feature = "v2"),
        allow(clippy::unused_async, unused_variables, reason = "version 2 waits")
    )]
    pub(super) async fn probe(self, tester: &mut Tester) -> Step {
        match self {
            Version::V1 => Ok(()),
            #[cfg(feature = "v2")]
            Version::V2 => tester.ready().await.map(drop),
        }
    }

    /// Makes the agent say what it can, for the rules that are judged over every line.
    pub(super) async fn evidence(self, tester: &mut Tester) {
        match self {
            Version::V1 => evidence::gather(tester).await,
            #[cfg(feature = "v2")]
            Version::V2 => v2::evidence(tester).await,
        }
    }
}
