//! The passive rules: each is judged over every line of every scenario.

#![allow(
    clippy::indexing_slicing,
    reason = "a `Value` that has no member of a name reads as `null`, and nothing else is indexed here"
)]

pub(super) mod conversation;
pub(super) mod envelope;
mod findings;
mod gates;
mod options;
mod requests;
pub(super) mod schema;
mod turns;
pub(super) mod updates;

use acp_types::method::Side;
use acp_types::v1::methods::METHODS;

pub(super) use self::findings::{EITHER, Finding, Findings};
use super::subject::Recording;

/// The rules that are judged of agents only.
const RULES: &[&str] = &[
    "v1-rpc-25",
    "v1-tr-04",
    "v1-cap-11",
    "v1-cap-12",
    "v1-cap-13",
    "v1-cap-18",
    "v1-cap-19",
    "v1-cap-20",
    "v1-cap-21",
    "v1-cap-22",
    "v1-auth-17",
    "v1-list-12",
    "v1-info-02",
    "v1-mode-04",
    "v1-cfg-03",
    "v1-cfg-04",
    "v1-cfg-08",
    "v1-cfg-12",
    "v1-cfg-16",
    "v1-turn-02",
    "v1-turn-04",
    "v1-turn-07",
    "v1-cancel-08",
    "v1-perm-02",
    "v1-perm-06",
    "v1-tool-01",
    "v1-tool-02",
    "v1-tool-03",
    "v1-tool-06",
    "v1-tool-07",
    "v1-tool-08",
    "v1-tool-09",
    "v1-tool-10",
    "v1-tool-12",
    "v1-plan-02",
    "v1-plan-06",
    "v1-plan-07",
    "v1-fs-01",
    "v1-fs-03",
    "v1-fs-07",
    "v1-term-02",
    "v1-term-12",
    "v1-eli-01",
    "v1-eli-03",
    "v1-eli-04",
    "v1-eli-06",
    "v1-eli-19",
    "v1-cmd-02",
    "v1-not-01",
    "v1-cmp-01",
    "v1-cmp-04",
    "v1-cmp-05",
    "v1-tool-05",
    "v1-eli-18",
    "v1-err-04",
];

/// Returns the ids of the rules that are judged over every line.
pub(super) fn rules() -> Vec<&'static str> {
    [EITHER, RULES].concat()
}

/// Judges all recordings.
pub(super) fn judge(recordings: &[Recording]) -> Findings {
    Findings::of(recordings, Side::Agent, [EITHER, RULES], &[], |conversation, findings| {
        envelope::judge(conversation, METHODS, findings);
        envelope::judge_extensions(conversation, findings);
        // From here on the rules are about the payloads of version 1.
        if conversation.version().is_some_and(|version| version != 1) {
            return;
        }
        schema::judge(conversation, &schema::V1, findings);
        updates::judge(conversation, findings);
        options::judge(conversation, findings);
        requests::judge(conversation, findings);
        turns::judge(conversation, findings);
        gates::judge(conversation, findings);
    })
}
