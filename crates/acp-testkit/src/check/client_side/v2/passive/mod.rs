//! The passive rules of version 2 for clients: each is judged over every line of every scenario.

#![allow(
    clippy::indexing_slicing,
    reason = "a `Value` that has no member of a name reads as `null`, and nothing else is indexed here"
)]

mod calls;
mod controls;
mod gates;
mod initialize;
mod logins;
mod prompts;
mod sessions;

use acp_types::method::Side;
use acp_types::v2::methods::METHODS;

use crate::check::client_side::passive::{answers, lists, order};
use crate::check::passive::{Findings, envelope, schema as form};
use crate::check::subject::Recording;
use crate::check::v2::{V2, requests};

/// The rules of version 2 that are judged here.
const RULES: &[&str] = &[
    "v2-rpc-01",
    "v2-rpc-02",
    "v2-rpc-03",
    "v2-rpc-05",
    "v2-init-01",
    "v2-cap-01",
    "v2-cap-04",
    "v2-cap-05",
    "v2-cap-07",
    "v2-auth-02",
    "v2-auth-04",
    "v2-new-01",
    "v2-mcp-01",
    "v2-res-01",
    "v2-res-07",
    "v2-path-01",
    "v2-turn-06",
    "v2-creq-01",
    "v2-tcc-01",
    "v2-cfg-01",
    "v2-cfg-02",
    "v2-cont-01",
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
    "v1-tr-05",
    "v1-ext-01",
    "v1-ext-05",
    "v1-err-03",
    "v1-init-01",
    "v1-init-03",
    "v1-new-14",
    "v1-list-04",
    "v1-list-05",
    "v1-turn-01",
    "v1-perm-03",
    "v1-perm-04",
    "v1-eli-07",
    "v1-eli-15",
    "v1-eli-16",
];

/// The rules of version 1 that have a row of their own here.
const RENAMED: &[(&str, &str)] = &[
    ("v1-rpc-03", "v2-rpc-02"),
    ("v1-rpc-07", "v2-rpc-01"),
    ("v1-rpc-08", "v2-rpc-01"),
    ("v1-rpc-24", "v2-path-01"),
    ("v1-list-03", "v2-path-01"),
    ("v1-load-07", "v2-res-07"),
];

/// Returns the ids of the rules that are judged over every line.
pub(in crate::check::client_side) fn rules() -> Vec<&'static str> {
    [RULES, EARLIER].concat()
}

/// Judges all recordings.
pub(in crate::check::client_side) fn judge(recordings: &[Recording]) -> Findings {
    Findings::of(recordings, Side::Client, [RULES, EARLIER], RENAMED, |conversation, findings| {
        envelope::judge(conversation, METHODS, findings);
        form::judge(conversation, &V2, findings);
        requests::pairs(conversation, findings);
        initialize::judge(conversation, findings);
        order::setup(conversation, findings);
        gates::judge(conversation, findings);
        sessions::judge(conversation, findings);
        lists::judge(conversation, "session/resume", findings);
        logins::judge(conversation, findings);
        prompts::judge(conversation, findings);
        calls::judge(conversation, findings);
        controls::judge(conversation, findings);
        answers::judge(conversation, true, findings);
    })
}
