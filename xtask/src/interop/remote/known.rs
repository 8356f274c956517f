//! The cases of pairs with us that cannot work, each with the reason.

use super::pairs::Outcome;
use super::peers::{Sdk, Way};

/// A case that cannot work.
pub(super) struct Known {
    pub(super) client: Sdk,
    pub(super) server: Sdk,
    pub(super) way: Way,
    pub(super) case: &'static str,
    /// The reason, which is the other side's.
    pub(super) because: &'static str,
}

pub(super) const KNOWN: [Known; 1] = [Known {
    client: Sdk::Ours,
    server: Sdk::Python,
    way: Way::Http,
    case: "load",
    because: "The session is loaded, but this server knows only sessions that it has answered with their id: it \
                  refuses each later message of a loaded one",
}];

/// Finds the reason why a case cannot work.
pub(super) fn reason(outcome: &Outcome, case: &str) -> Option<&'static str> {
    let is_it = |known: &&Known| {
        (known.client, known.server, known.way, known.case)
            == (outcome.client, outcome.server, outcome.way, case)
    };
    KNOWN.iter().find(is_it).map(|known| known.because)
}

/// Returns the cases that fail and are not known, and those that are known and do not fail.
pub(super) fn compare(outcome: &Outcome) -> Vec<String> {
    let told = |(case, failed): &(&'static str, Option<String>)| {
        let line = outcome.line();
        match (failed, reason(outcome, case)) {
            (Some(why), None) => Some(format!("{line}: {case}: {why}")),
            (None, Some(_)) => Some(format!("{line}: {case} works, although `known.rs` says that it cannot")),
            _ => None,
        }
    };
    outcome.cases.iter().filter_map(told).collect()
}
