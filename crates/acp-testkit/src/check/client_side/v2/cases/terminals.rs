//! Terminals of the agent, which a client shows.

use serde_json::{Value, json};

use super::messages::takes;
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::stage::Stage;
use crate::check::subject::Step;

pub(super) const CASES: &[Case<Stage>] = &[
    case!(
        "v2-term-03",
        "a tool call with a terminal that comes later, and one that came before",
        either_order
    )
    .survives(),
    case!("v2-term-04", "a terminal changes, member by member", patches).survives(),
    case!("v2-term-06", "pieces of output that part a character, an escape and their base64", pieces)
        .survives(),
    case!("v2-term-07", "a terminal ends without a code, and with codes of 64 bits", ends).survives(),
];

fn update(id: &str, members: Value) -> Value {
    with(with(members, "sessionUpdate", "terminal_update".into()), "terminalId", id.into())
}

fn shown(call: &str, terminal: &str) -> Value {
    json!({
        "sessionUpdate": "tool_call_update", "toolCallId": call, "title": "Run",
        "content": [{"type": "terminal", "terminalId": terminal}],
    })
}

async fn either_order(t: &mut Stage) -> Step {
    let updates = [
        shown("acp-check-call-1", "acp-check-term-1"),
        update("acp-check-term-1", json!({"command": "make"})),
        update("acp-check-term-2", json!({"command": "make"})),
        shown("acp-check-call-2", "acp-check-term-2"),
    ];
    takes(t, updates, "a terminal and the tool call that shows it").await
}

async fn patches(t: &mut Stage) -> Step {
    let updates = [
        json!({}),
        json!({"command": "make", "cwd": "/work"}),
        json!({"output": {"data": "aGVsbG8K"}}),
        json!({"size": {"cols": 80, "rows": 24}}),
        json!({"command": null, "cwd": null, "output": null, "size": null, "exitStatus": null}),
        json!({"output": {"data": ""}, "_meta": {"a": 1}}),
    ];
    takes(t, updates.map(|members| update("acp-check-term-3", members)), "changes of a terminal").await
}

async fn pieces(t: &mut Stage) -> Step {
    let piece = |data: &str| json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "acp-check-term-4", "data": data});
    // Halves of an accented letter and of an escape, then bytes that are not UTF-8.
    let updates =
        [piece("w6k="), piece("ww=="), piece("qQ=="), piece("G1sz"), piece("MW0="), piece("//4="), piece("")];
    takes(t, updates, "pieces of a terminal's output").await
}

async fn ends(t: &mut Stage) -> Step {
    let updates = [
        json!({"exitStatus": {}}),
        json!({"exitStatus": {"exitCode": -1}}),
        json!({"exitStatus": {"exitCode": i64::MIN}}),
        json!({"exitStatus": {"exitCode": i64::MAX, "signal": null}}),
        json!({"exitStatus": {"signal": "SIGKILL"}}),
    ];
    takes(t, updates.map(|members| update("acp-check-term-5", members)), "the end of a terminal").await
}
