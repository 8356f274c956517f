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

use acp_types::v1::methods::METHODS;

use self::conversation::Conversation;
pub(super) use self::findings::{Finding, Findings, RULES};
use super::tester::Recording;

/// Judges all recordings.
pub(super) fn judge(recordings: &[Recording]) -> Findings {
    let mut findings = Findings::new([RULES, &[]], &[]);
    for (number, recording) in recordings.iter().enumerate() {
        findings.begin(number);
        let conversation = Conversation::of(&recording.lines);
        envelope::judge(&conversation, METHODS, &mut findings);
        envelope::judge_extensions(&conversation, &mut findings);
        // From here on the rules are about the payloads of version 1.
        if conversation.version().is_some_and(|version| version != 1) {
            continue;
        }
        schema::judge(&conversation, &schema::V1, &mut findings);
        updates::judge(&conversation, &mut findings);
        options::judge(&conversation, &mut findings);
        requests::judge(&conversation, &mut findings);
        turns::judge(&conversation, &mut findings);
        gates::judge(&conversation, &mut findings);
    }
    findings
}
