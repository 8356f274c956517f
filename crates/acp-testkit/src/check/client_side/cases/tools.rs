//! Tool calls as a client reads them: in updates, and in permission requests.

use serde_json::{Value, json};

use super::permission::reads;
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-tool-04", "an update of a tool call with members that are `null`", nulls).survives(),
    case!("v1-tool-05", "a tool call with a name, and an update without it", names).survives(),
    case!("v1-tool-06", "tool calls of each status", statuses).survives(),
    case!("v1-tool-07", "tool calls of each kind", kinds).survives(),
    case!("v1-tool-08", "content of each kind in a tool call", contents).survives(),
    case!("v1-tool-09", "diffs with and without the old text", diffs).survives(),
    case!("v1-tool-12", "locations with and without a line", locations).survives(),
    case!("v1-tool-13", "malformed items in the lists of a tool call", bad_items).survives(),
    case!("v1-tool-14", "input and output of every type of JSON", raw_values).survives(),
    case!("v1-tool-15", "an update of a tool call that was never announced", unseen).survives(),
];

/// Sends updates of a tool call with these members, then asks for permission for it.
async fn takes(t: &mut Stage, members: Value, of: &str) -> Step {
    let call = with(members.clone(), "toolCallId", "acp-check-tool".into());
    let first = with(with(call.clone(), "sessionUpdate", "tool_call".into()), "title", "Work".into());
    t.update(first).await?;
    t.update(with(call, "sessionUpdate", "tool_call_update".into())).await?;
    t.goes_on(of).await?;
    reads(t, members, of).await
}

async fn nulls(t: &mut Stage) -> Step {
    let update = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "acp-check-tool", "title": null, "kind": null,
        "status": null, "content": null, "locations": null, "name": null,
    });
    t.update(update).await?;
    t.goes_on("an update with `null` members").await?;
    let members = json!({"kind": null, "status": null, "content": null, "locations": null});
    reads(t, members, "a tool call with `null` members").await
}

async fn names(t: &mut Stage) -> Step {
    takes(t, json!({"name": "acp_check"}), "a tool call with a name").await
}

async fn statuses(t: &mut Stage) -> Step {
    for status in ["pending", "in_progress", "completed", "failed"] {
        takes(t, json!({"status": status}), &format!("a tool call that is `{status}`")).await?;
    }
    Ok(())
}

async fn kinds(t: &mut Stage) -> Step {
    let kinds =
        ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];
    for kind in kinds {
        takes(t, json!({"kind": kind}), &format!("a tool call of the kind `{kind}`")).await?;
    }
    Ok(())
}

async fn contents(t: &mut Stage) -> Step {
    let text = json!({"type": "content", "content": {"type": "text", "text": "hello"}});
    let diff = json!({"type": "diff", "path": t.options.cwd.join("a.txt"), "newText": "new"});
    let terminal = json!({"type": "terminal", "terminalId": "acp-check-terminal"});
    takes(t, json!({"content": [text, diff, terminal]}), "content of each kind").await
}

async fn diffs(t: &mut Stage) -> Step {
    let path = t.options.cwd.join("a.txt");
    for old in [json!("old"), Value::Null] {
        let diff = json!({"type": "diff", "path": path, "newText": "new", "oldText": old});
        takes(t, json!({"content": [diff]}), "a diff").await?;
    }
    Ok(())
}

async fn locations(t: &mut Stage) -> Step {
    let path = t.options.cwd.join("a.txt");
    let locations = json!([{"path": path, "line": 3}, {"path": path, "line": null}, {"path": path}]);
    takes(t, json!({"locations": locations}), "locations").await
}

async fn bad_items(t: &mut Stage) -> Step {
    let text = json!({"type": "content", "content": {"type": "text", "text": "hello"}});
    let members = json!({"content": [5, text, {"type": "acp_check"}], "locations": [{"line": 1}, "x"]});
    takes(t, members, "malformed items in lists").await?;
    takes(t, json!({"content": {"a": 1}}), "content that is not a list").await
}

async fn raw_values(t: &mut Stage) -> Step {
    for value in [json!(5), json!("text"), json!([1, {"a": null}]), json!({"b": {}}), json!(true)] {
        takes(t, json!({"rawInput": value, "rawOutput": value}), "raw input and output").await?;
    }
    Ok(())
}

async fn unseen(t: &mut Stage) -> Step {
    let id = "acp-check-unseen";
    t.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"})).await?;
    t.goes_on("an update of an unknown tool call").await
}
