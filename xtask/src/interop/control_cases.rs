//! Other SDKs against themselves: when such a case fails, ours are not to blame.

use serde_json::{Value, json};

use super::case::{Action, Case, NOTES, Pairing, Peer};
use super::seen::Seen;

pub(super) fn all() -> Vec<Case> {
    let control = |peer| Case {
        peer,
        pairing: Pairing::Control,
        name: "all-scripts",
        action: Action::Scenario(scenario),
        errors: &[],
        check,
    };
    [Peer::TypeScript, Peer::RustSdk, Peer::Python].map(control).into()
}

fn scenario() -> Value {
    json!({
        "fs": true,
        "turns": [
            { "prompt": "stream" },
            { "prompt": "permission", "permission": "allow_once" },
            { "prompt": "permission", "permission": "reject_once" },
            { "prompt": "files" },
            { "prompt": "wait", "cancelOn": "agent_message_chunk" },
            { "prompt": "permission", "cancelOn": "permission" },
            { "prompt": "stream", "cancelBefore": true },
        ],
    })
}

fn check(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&[
        "end_turn",
        "end_turn",
        "end_turn",
        "end_turn",
        "cancelled",
        "cancelled",
        "end_turn",
    ])?;
    seen.expect_text(0, "one two three")?;
    seen.expect_text(1, "answer: opt-yes")?;
    seen.expect_text(2, "answer: opt-no")?;
    seen.expect_text(3, "copied")?;
    seen.expect_file("copy.txt", &NOTES.to_uppercase())?;
    seen.expect_permissions(&["allow_once", "reject_once", "cancelled"])
}
