//! Tool calls as a client reads them: in updates, and in permission requests.

use serde_json::{Value, json};

use super::messages::{takes, text};
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::cases::permission::reads;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-tool-03", "members of a tool call are `null`", nulls).survives(),
    case!("v2-tool-04", "a tool call of which only the id is known", bare).survives(),
    case!("v2-tool-05", "items are added to a tool call, and replaced", items).survives(),
    case!("v2-tool-06", "tool calls of every status and kind, and of unknown ones", statuses).survives(),
    case!("v2-tool-08", "tool calls and terminals whose controls are malformed", malformed_controls)
        .survives(),
    case!("v2-tcc-01", "a tool call and a terminal without a control", controls).survives(),
    case!("v2-diff-03", "diffs without a patch, and with one", diffs).survives(),
    case!("v2-perm-03", "a permission request about a tool call that is known, with news of it", subjects),
];

const ID: &str = "acp-check-tool";

/// Sends an update of a tool call with these members, then asks for permission for it.
async fn reported(t: &mut Stage, members: Value, of: &str) -> Step {
    takes(t, [update(members.clone())], of).await?;
    reads(t, members, of).await
}

fn update(members: Value) -> Value {
    with(with(members, "sessionUpdate", "tool_call_update".into()), "toolCallId", ID.into())
}

async fn nulls(t: &mut Stage) -> Step {
    let members = json!({
        "name": null, "kind": null, "status": null, "content": null, "locations": null,
        "rawInput": null, "rawOutput": null, "capabilities": null,
    });
    takes(t, [update(with(members.clone(), "title", Value::Null))], "a tool call with `null` members")
        .await?;
    reads(t, members, "a tool call with `null` members").await
}

async fn bare(t: &mut Stage) -> Step {
    let id = "acp-check-bare";
    takes(t, [json!({"sessionUpdate": "tool_call_update", "toolCallId": id})], "a tool call without a title")
        .await?;
    // The question has a title of its own.
    reads(t, json!({"toolCallId": "acp-check-bare-2", "title": null}), "a tool call without a title").await
}

async fn items(t: &mut Stage) -> Step {
    let item = |said: &str| json!({"type": "content", "content": text(said)});
    let piece =
        |item: Value| json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": ID, "content": item});
    let unknown = json!({"type": "_acp_check", "more": 1});
    let updates = [
        piece(item("one")),
        update(json!({"title": "Work", "content": [item("two")]})),
        piece(unknown.clone()),
        update(json!({"content": [unknown.clone(), item("three")]})),
    ];
    takes(t, updates, "items of a tool call").await?;
    reads(t, json!({"content": [item("four"), unknown]}), "content of an unknown type").await
}

async fn statuses(t: &mut Stage) -> Step {
    for status in ["pending", "in_progress", "paused", "completed", "failed", "cancelled", "_acp_check"] {
        reported(t, json!({"status": status}), &format!("a tool call that is `{status}`")).await?;
    }
    for kind in ["execute", "other", "_acp_check"] {
        reported(t, json!({"kind": kind}), &format!("a tool call of the kind `{kind}`")).await?;
    }
    Ok(())
}

/// Checks that the client cancels none of what these updates are about.
async fn cancels_none(t: &mut Stage, updates: Vec<Value>, of: &str) -> Step {
    for update in updates {
        t.update(update).await?;
    }
    for _ in 0..4 {
        let before = t.fence().await?;
        let cancels = before
            .iter()
            .find(|message| matches!(message.method(), Some("tool_call/cancel" | "terminal/cancel")));
        if let Some(cancel) = cancels {
            let method = cancel.method().unwrap_or_default();
            return Err(Stop::Fail(format!("{of}: the client calls `{method}`, which was not offered")));
        }
    }
    t.stays_in_turn(of).await
}

fn terminal(members: Value) -> Value {
    with(with(members, "sessionUpdate", "terminal_update".into()), "terminalId", "acp-check-term".into())
}

async fn malformed_controls(t: &mut Stage) -> Step {
    let mut updates = Vec::new();
    for odd in [json!(true), json!({"cancel": true}), json!({"cancel": []}), json!("cancel")] {
        let members = json!({"title": "Work", "status": "in_progress", "capabilities": odd});
        updates.extend([update(members), terminal(json!({"command": "make", "capabilities": odd}))]);
    }
    cancels_none(t, updates, "controls that are malformed").await
}

async fn controls(t: &mut Stage) -> Step {
    let call = |members: Value| {
        let members = with(members, "sessionUpdate", "tool_call_update".into());
        with(members, "toolCallId", "acp-check-uncontrolled".into())
    };
    let updates = vec![
        call(json!({"title": "Work", "status": "in_progress"})),
        terminal(json!({"command": "make"})),
        call(json!({"status": "completed", "capabilities": null})),
        terminal(json!({"exitStatus": {"exitCode": 0}, "capabilities": null})),
    ];
    cancels_none(t, updates, "a tool call and a terminal without controls").await
}

async fn diffs(t: &mut Stage) -> Step {
    let path = t.options.cwd.join("a.txt");
    let old = t.options.cwd.join("b.txt");
    let changes = json!([
        {"operation": "modify", "path": path},
        {"operation": "move", "oldPath": old, "path": path, "fileType": "file"},
        {"operation": "_acp_check", "more": 1},
    ]);
    for diff in [
        json!({"type": "diff", "changes": changes}),
        json!({"type": "diff", "changes": changes, "patch": null}),
        json!({"type": "diff", "changes": [], "patch": {"format": "_acp_check", "text": "x"}}),
    ] {
        reported(t, json!({"content": [diff]}), "a diff without a patch").await?;
    }
    Ok(())
}

async fn subjects(t: &mut Stage) -> Step {
    takes(t, [update(json!({"title": "Work", "status": "pending", "kind": "edit"}))], "a tool call").await?;
    reads(t, json!({"title": null, "status": "in_progress"}), "a subject with news of its tool call").await?;
    takes(t, [update(json!({"status": "completed"}))], "the end of a tool call that was asked about").await
}
