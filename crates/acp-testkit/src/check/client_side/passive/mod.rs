//! The passive rules of clients: each is judged over every line of every scenario.

#![allow(
    clippy::indexing_slicing,
    reason = "a `Value` that has no member of a name reads as `null`, and nothing else is indexed here"
)]

mod answers;
mod gates;
mod initialize;
mod lists;
mod logins;
mod order;
mod prompts;
mod settings;
mod setup;

use acp_types::v1::methods::METHODS;

use crate::check::passive::conversation::Conversation;
use crate::check::passive::{Findings, envelope, schema};
use crate::check::tester::Recording;

/// The rules that are judged here.
pub(in crate::check) const RULES: &[&str] = &[
    "v1-rpc-01",
    "v1-rpc-02",
    "v1-rpc-03",
    "v1-rpc-04",
    "v1-rpc-05",
    "v1-rpc-07",
    "v1-rpc-08",
    "v1-rpc-11",
    "v1-rpc-24",
    "v1-tr-03",
    "v1-tr-05",
    "v1-init-01",
    "v1-init-02",
    "v1-init-03",
    "v1-init-12",
    "v1-init-14",
    "v1-cap-01",
    "v1-cap-09",
    "v1-cap-10",
    "v1-cap-14",
    "v1-cap-15",
    "v1-cap-16",
    "v1-cap-17",
    "v1-cap-23",
    "v1-cap-24",
    "v1-auth-03",
    "v1-auth-04",
    "v1-new-02",
    "v1-new-03",
    "v1-new-07",
    "v1-new-14",
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
    "v1-cont-01",
    "v1-cont-03",
    "v1-cont-04",
    "v1-cont-05",
    "v1-fs-05",
    "v1-term-04",
    "v1-term-05",
    "v1-eli-07",
    "v1-eli-15",
    "v1-eli-16",
    "v1-ext-01",
    "v1-ext-05",
    "v1-ext-08",
    "v1-err-03",
];

/// Judges all recordings.
pub(in crate::check::client_side) fn judge(recordings: &[Recording]) -> Findings {
    let mut findings = Findings::new([RULES, &[]], &[]);
    for (number, recording) in recordings.iter().enumerate() {
        findings.begin(number);
        let conversation = Conversation::of_client(&recording.lines);
        envelope::judge(&conversation, METHODS, &mut findings);
        envelope::judge_extensions(&conversation, &mut findings);
        schema::judge(&conversation, &schema::V1, &mut findings);
        initialize::judge(&conversation, &mut findings);
        order::judge(&conversation, &mut findings);
        gates::judge(&conversation, &mut findings);
        setup::judge(&conversation, &mut findings);
        logins::judge(&conversation, &mut findings);
        lists::judge(&conversation, &mut findings);
        settings::judge(&conversation, &mut findings);
        prompts::judge(&conversation, &mut findings);
        answers::judge(&conversation, &mut findings);
    }
    findings
}
