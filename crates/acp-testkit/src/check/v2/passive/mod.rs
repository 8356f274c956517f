//! The passive rules of version 2: each is judged over every line of every scenario.

pub(in crate::check) mod content;
mod initialize;
mod lists;
mod open_values;
mod prompts;
mod questions;
pub(in crate::check) mod requests;
pub(in crate::check) mod schema;
mod states;
mod terminals;
mod updates;

use acp_types::method::Side;
use acp_types::v2::methods::METHODS;

use crate::check::passive::{Findings, envelope, schema as form};
use crate::check::subject::Recording;

/// The rules of version 2 that are judged here.
const RULES: &[&str] = &[
    "v2-rpc-01",
    "v2-rpc-02",
    "v2-rpc-03",
    "v2-rpc-05",
    "v2-err-01",
    "v2-init-01",
    "v2-cap-01",
    "v2-cap-04",
    "v2-auth-03",
    "v2-auth-05",
    "v2-new-02",
    "v2-path-01",
    "v2-list-04",
    "v2-close-03",
    "v2-turn-02",
    "v2-turn-03",
    "v2-turn-04",
    "v2-turn-05",
    "v2-state-03",
    "v2-state-10",
    "v2-cancel-07",
    "v2-tcc-04",
    "v2-bg-02",
    "v2-bg-03",
    "v2-bg-04",
    "v2-msg-01",
    "v2-tool-01",
    "v2-tool-02",
    "v2-tool-07",
    "v2-term-01",
    "v2-term-02",
    "v2-term-08",
    "v2-term-09",
    "v2-diff-01",
    "v2-diff-02",
    "v2-diff-04",
    "v2-perm-01",
    "v2-perm-02",
    "v2-perm-04",
    "v2-plan-01",
    "v2-plan-03",
    "v2-plan-04",
    "v2-cfg-01",
    "v2-cfg-04",
    "v2-cmd-01",
    "v2-cmd-02",
    "v2-cont-01",
    "v2-eli-01",
    "v2-eli-03",
    "v2-ext-01",
];

/// The rules of version 1 that hold here as they are.
const EARLIER: &[&str] = &[
    "v1-rpc-01",
    "v1-rpc-02",
    "v1-rpc-04",
    "v1-rpc-05",
    "v1-rpc-11",
    "v1-tr-03",
    "v1-tr-04",
    "v1-ext-01",
    "v1-ext-05",
    "v1-err-03",
];

/// The rules of version 1 that have a row of their own here.
const RENAMED: &[(&str, &str)] = &[
    ("v1-rpc-03", "v2-rpc-02"),
    ("v1-rpc-07", "v2-rpc-01"),
    ("v1-rpc-08", "v2-rpc-01"),
    ("v1-err-04", "v2-err-01"),
];

/// Returns the ids of the rules that are judged over every line.
pub(in crate::check) fn rules() -> Vec<&'static str> {
    [RULES, EARLIER].concat()
}

/// Judges all recordings.
pub(in crate::check) fn judge(recordings: &[Recording]) -> Findings {
    Findings::of(recordings, Side::Agent, [RULES, EARLIER], RENAMED, |conversation, findings| {
        envelope::judge(conversation, METHODS, findings);
        // From here on the rules are about the payloads of version 2.
        if conversation.version() != Some(2) {
            return;
        }
        form::judge(conversation, &schema::V2, findings);
        requests::judge(conversation, findings);
        initialize::judge(conversation, findings);
        prompts::judge(conversation, findings);
        states::judge(conversation, findings);
        updates::judge(conversation, findings);
        terminals::judge(conversation, findings);
        lists::judge(conversation, findings);
        questions::judge(conversation, findings);
        open_values::judge(conversation, findings);
    })
}
