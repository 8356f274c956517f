//! Messages, tool calls, terminals, plans and commands.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Fault::{Line, Update};
use crate::check::mutant::{Fault, Mutant, without, without_at};
use crate::check::mutants::faults::{full, parsed};

/// Changes the first diff of an update.
fn diff(update: &mut Value, change: fn(&mut Value)) {
    for item in update["content"].as_array_mut().into_iter().flatten() {
        if item["type"] == "diff" {
            change(item);
        }
    }
}

/// Changes the plans of a type.
fn plan(update: &mut Value, kind: &str, change: fn(&mut Value)) {
    if update["plan"]["type"] == kind {
        change(&mut update["plan"]);
    }
}

const fn tool(change: fn(&mut Value)) -> Fault {
    Update("tool_call_update", change)
}

pub(super) const MUTANTS: &[Mutant] = &[
    full("v2-msg-01", Update("agent_message_chunk", |u| without(u, "messageId")))
        .also(&["v1-rpc-11", "v2-res-09"]),
    // Tool calls.
    full(
        "v2-tool-02",
        tool(|u| {
            if u["toolCallId"] == "moved" && u.get("title").is_some() {
                without(u, "title");
            }
        }),
    ),
    full("v2-tool-07", tool(|u| u["locations"] = json!([{"path": "/a", "line": 0}]))).also(&["v1-rpc-11"]),
    full("v2-diff-01", tool(|u| diff(u, |diff| without_at(diff, "/changes/0", "oldPath"))))
        .also(&["v1-rpc-11"]),
    full(
        "v2-diff-02",
        tool(|u| {
            diff(u, |diff| {
                diff["patch"]["text"] =
                    json!("diff --git /x.txt /x.txt\n--- /x.txt\n+++ /x.txt\n@@ -1 +1 @@\n-a\n+b\n");
            })
        }),
    ),
    full(
        "v2-diff-04",
        tool(|u| {
            diff(u, |diff| {
                diff["patch"]["text"] =
                    json!("diff --git a/work/a.txt b/work/b.txt\n--- a/work/a.txt\n+++ b/work/b.txt\n");
            })
        }),
    ),
    full("v2-path-01", tool(|u| u["locations"] = json!([{"path": "a.txt"}]))),
    // Terminals.
    full(
        "v2-term-02",
        Line(|memory, writer, line, out| {
            out.pass(writer, line);
            let mut message = parsed(line);
            if writer == Writer::Second
                && message["params"]["update"]["exitStatus"].is_object()
                && memory.notes.insert("again", Value::Null).is_none()
            {
                let update = &mut message["params"]["update"];
                without(update, "exitStatus");
                update["command"] = json!("make again");
                out.pass(writer, message.to_string());
            }
        }),
    ),
    full(
        "v2-term-08",
        Update("terminal_update", |u| {
            if u.get("cwd").is_some() {
                u["cwd"] = json!("work");
            }
        }),
    )
    .also(&["v2-path-01"]),
    full(
        "v2-term-09",
        Update("terminal_update", |u| {
            if u.get("size").is_some() {
                u["size"]["rows"] = json!(0);
            }
        }),
    )
    .also(&["v1-rpc-11"]),
    // Plans.
    full("v2-plan-01", Update("plan_update", |u| plan(u, "items", |plan| without(plan, "entries")))),
    full("v2-plan-03", Update("plan_update", |u| plan(u, "_acme", |plan| without(plan, "planId"))))
        .also(&["v2-plan-01"]),
    full(
        "v2-plan-04",
        Update("plan_update", |u| plan(u, "items", |plan| plan["entries"][0]["status"] = json!("done"))),
    ),
    // Commands and content.
    full("v2-cmd-01", Update("available_commands_update", |u| without_at(u, "/availableCommands/0", "type"))),
    full(
        "v2-cmd-02",
        Update("available_commands_update", |u| u["availableCommands"][0]["name"] = json!("/go")),
    ),
    full(
        "v2-cont-01",
        Update("agent_message_chunk", |u| {
            if u["content"].get("icons").is_some() {
                u["content"]["icons"][0]["src"] = json!("http://example.com/i.png");
            }
        }),
    ),
    full(
        "v2-cont-01",
        Update("agent_message_chunk", |u| {
            if u["content"].get("annotations").is_some() {
                u["content"]["annotations"]["priority"] = json!(2);
            }
        }),
    )
    .also(&["v1-rpc-11"]),
];
