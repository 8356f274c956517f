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

use self::conversation::Conversation;
pub(super) use self::findings::{Finding, Findings, RULES};
use super::tester::Recording;

/// Judges all recordings.
pub(super) fn judge(recordings: &[Recording]) -> Findings {
    let mut findings = Findings::about(RULES);
    for (number, recording) in recordings.iter().enumerate() {
        findings.begin(number);
        let conversation = Conversation::of(&recording.lines);
        envelope::judge(&conversation, &mut findings);
        // From here on the rules are about the payloads of version 1.
        if conversation.other_version().is_some() {
            continue;
        }
        schema::judge(&conversation, &mut findings);
        updates::judge(&conversation, &mut findings);
        options::judge(&conversation, &mut findings);
        requests::judge(&conversation, &mut findings);
        turns::judge(&conversation, &mut findings);
        gates::judge(&conversation, &mut findings);
    }
    findings
}
