//! The passive rules of clients: each is judged over every line of every scenario.

#![allow(
    clippy::indexing_slicing,
    reason = "a `Value` that has no member of a name reads as `null`, and nothing else is indexed here"
)]

pub(super) mod answers;
mod gates;
pub(super) mod initialize;
pub(super) mod lists;
mod logins;
pub(super) mod order;
mod prompts;
mod settings;
mod setup;

use acp_types::method::Side;
use acp_types::v1::methods::METHODS;

use crate::check::passive::conversation::Conversation;
use crate::check::passive::{EITHER, Findings, envelope, schema};
use crate::check::subject::Recording;

/// The rules that are judged of clients only.
const RULES: &[&str] = &[
    "v1-tr-05",
    "v1-init-01",
    "v1-init-02",
    "v1-init-03",
    "v1-init-12",
    "v1-init-14",
    "v1-cap-09",
    "v1-cap-10",
    "v1-cap-14",
    "v1-cap-15",
    "v1-cap-16",
    "v1-cap-17",
    "v1-cap-23",
    "v1-auth-03",
    "v1-auth-04",
    "v1-new-02",
    "v1-new-03",
    "v1-new-07",
    "v1-load-01",
    "v1-load-07",
    "v1-res-01",
    "v1-close-01",
    "v1-list-03",
    "v1-list-04",
    "v1-list-05",
    "v1-mcp-04",
    "v1-mcp-05",
    "v1-mcp-06",
    "v1-mode-02",
    "v1-mode-06",
    "v1-cfg-05",
    "v1-cfg-09",
    "v1-turn-01",
    "v1-cancel-03",
    "v1-creq-09",
    "v1-perm-03",
    "v1-perm-04",
    "v1-fs-05",
    "v1-term-04",
    "v1-term-05",
    "v1-eli-07",
    "v1-eli-15",
    "v1-eli-16",
];

/// Returns the ids of the rules that are judged over every line.
pub(in crate::check::client_side) fn rules() -> Vec<&'static str> {
    [EITHER, RULES].concat()
}

/// Judges all recordings.
pub(in crate::check::client_side) fn judge(recordings: &[Recording]) -> Findings {
    Findings::of(recordings, Side::Client, [EITHER, RULES], &[], |conversation, findings| {
        envelope::judge(conversation, METHODS, findings);
        envelope::judge_extensions(conversation, findings);
        schema::judge(conversation, &schema::V1, findings);
        initialize::judge(conversation, findings);
        order::judge(conversation, findings);
        gates::judge(conversation, findings);
        setup::judge(conversation, findings);
        logins::judge(conversation, findings);
        lists::judge(conversation, "session/load", findings);
        settings::judge(conversation, findings);
        prompts::judge(conversation, findings);
        answers::judge(conversation, false, findings);
    })
}
