//! Version 2, beside version 1: `client_v2` with agents of other SDKs, and their clients with our
//! agents that are built for both.

use serde_json::{Value, json};

use super::case::{Action, Case, Pairing, Peer};
use super::seen::Seen;
use super::version_checks::{
    allow, cancel, cancel_permission, cancelled, echo, echo_idle, echo_sessions, fallback,
    fallback_with_files, older_client, permission_always, permission_once, permission_reject, read, reject,
    replace, replayed, sessions, stream, withdrawn,
};

const ECHO: Pairing = Pairing::OurAgentV2("echo_agent_v2");
const CODING: Pairing = Pairing::OurAgentV2("coding_agent_v2");

/// The task that the coding agent gets for `notes.txt`.
pub(super) const EDIT: &str = "replace `beta` with `BETA` in `notes.txt`";

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |peers: &[Peer], pairing, rows: &[Row]| {
        for &peer in peers {
            cases.extend(rows.iter().map(|&(name, scenario, check)| {
                let action = Action::Scenario(scenario);
                // The Rust SDK answers a withdrawn question by itself.
                let withdraws = name == "cancel-unanswered" && peer == Peer::RustSdkV2;
                let errors: &[i64] = if withdraws { &[-32800] } else { &[] };
                Case { peer, pairing, name, action, errors, check }
            }));
        }
    };
    let v2 = [Peer::TypeScriptV2, Peer::RustSdkV2];
    add(&v2, Pairing::OurClientV2, &CLIENT);
    add(&[Peer::TypeScript, Peer::RustSdk, Peer::Python], Pairing::OurClientV2, &FALLBACK);
    add(&v2, ECHO, &ECHOES);
    add(&v2, CODING, &CODES);
    // A client of version 1 and an agent that could speak version 2.
    add(
        &[Peer::TypeScript, Peer::RustSdk],
        ECHO,
        &[("older-client", || turns(&json!([HELLO()])), older_client)],
    );
    cases
}

type Row = (&'static str, fn() -> Value, fn(&Seen) -> anyhow::Result<()>);

const HELLO: fn() -> Value = || json!({ "prompt": "hello, Grüße 🙂" });

/// For `client_v2`. The agents run a script named by the prompt's first word.
const CLIENT: [Row; 8] = [
    ("stream", || turns(&json!([{ "prompt": "stream" }])), stream),
    ("replace", || turns(&json!([{ "prompt": "replace" }])), replace),
    ("permission-once", || permission(&json!({ "permission": "allow_once" })), permission_once),
    ("permission-always", || permission(&json!({ "permission": "allow_always" })), permission_always),
    ("permission-reject", || permission(&json!({ "permission": "reject_once" })), permission_reject),
    ("cancel", || turns(&json!([{ "prompt": "wait", "cancelOn": "agent_message_chunk" }])), cancel),
    ("cancel-permission", || permission(&json!({ "cancelOn": "permission" })), cancel_permission),
    ("sessions", || then(&json!([{ "prompt": "stream" }, { "prompt": "replace" }])), sessions),
];

/// For `client_v2` with agents that speak version 1 only.
const FALLBACK: [Row; 2] = [
    ("fallback", || json!({ "turns": [{ "prompt": "stream" }] }), fallback),
    ("fallback-files", || json!({ "fs": true, "turns": [{ "prompt": "files" }] }), fallback_with_files),
];

const ECHOES: [Row; 3] = [
    ("stream", || turns(&json!([HELLO()])), echo),
    ("cancel-idle", || turns(&json!([{ "prompt": "still here", "cancelBefore": true }])), echo_idle),
    ("sessions", || then(&json!([{ "prompt": "one" }, { "prompt": "two" }])), echo_sessions),
];

const CODES: [Row; 7] = [
    ("read", || turns(&json!([{ "prompt": "read `notes.txt`" }])), read),
    ("allow", || edit(&json!({ "permission": "allow_once" })), allow),
    ("reject", || edit(&json!({ "permission": "reject_once" })), reject),
    ("cancel-streaming", || edit(&json!({ "cancelOn": "plan_update" })), cancelled),
    ("cancel-permission", || edit(&json!({ "cancelOn": "permission" })), cancelled),
    ("cancel-unanswered", cancel_unanswered, withdrawn),
    ("replay", replay, replayed),
];

fn turns(turns: &Value) -> Value {
    json!({ "turns": turns })
}

/// Turns, and then all that can be done with a session.
fn then(turns: &Value) -> Value {
    json!({ "turns": turns, "then": ["list", "resume", "replay", "close"] })
}

fn permission(members: &Value) -> Value {
    turns(&json!([with_prompt("permission", members)]))
}

fn edit(members: &Value) -> Value {
    turns(&json!([with_prompt(EDIT, members)]))
}

/// The client answers the question only after the turn is over.
fn cancel_unanswered() -> Value {
    edit(&json!({ "cancelOn": "permission", "holdAnswer": true }))
}

fn replay() -> Value {
    let mut scenario = edit(&json!({ "permission": "allow_once" }));
    scenario["then"] = json!(["replay"]);
    scenario
}

fn with_prompt(prompt: &str, members: &Value) -> Value {
    let mut turn = members.clone();
    turn["prompt"] = prompt.into();
    turn
}
