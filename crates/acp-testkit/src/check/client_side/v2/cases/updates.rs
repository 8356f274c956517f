//! Plans, options, commands, content, usage, and updates that are malformed.

use serde_json::{Value, json};

use super::messages::{takes, text};
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::agent::pace_of_v2 as pace;
use crate::check::client_side::cases::initialize::works;
use crate::check::client_side::stage::Stage;
use crate::check::subject::Step;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-plan-02", "two plans, and one becomes another of an unknown type", plans).survives(),
    case!("v2-plan-04", "entries of a plan that are cancelled, and of unknown values", entries).survives(),
    case!("v2-cfg-01", "an option whose values stand in groups", groups).fresh().survives(),
    case!("v2-cfg-06", "an update whose options are `null`, and one with malformed items", odd_options)
        .survives(),
    case!("v2-cmd-04", "commands of a type that nobody has", commands).survives(),
    case!("v2-cont-01", "links with icons, and annotations", content).survives(),
    case!("v2-usage-01", "the cost of a session is set, kept and cleared", usage).survives(),
    case!("v2-ext-05", "an update, a block and an item whose tags are numbers", odd_tags).survives(),
];

fn plan(plan: &Value) -> Value {
    json!({"sessionUpdate": "plan_update", "plan": plan})
}

fn entry(priority: &str, status: &str) -> Value {
    json!({"content": "x", "priority": priority, "status": status})
}

async fn plans(t: &mut Stage) -> Step {
    let steps = json!([entry("high", "pending")]);
    let updates = [
        plan(&json!({"type": "items", "planId": "a", "entries": steps})),
        plan(&json!({"type": "items", "planId": "b", "entries": steps})),
        plan(&json!({"type": "_acp_check", "planId": "a", "more": 1})),
        plan(&json!({"type": "items", "planId": "b", "entries": []})),
    ];
    takes(t, updates, "plans").await
}

async fn entries(t: &mut Stage) -> Step {
    let steps =
        json!([entry("low", "cancelled"), entry("_acp_check", "_acp_check"), entry("medium", "completed")]);
    let updates = [plan(&json!({"type": "items", "planId": "a", "entries": steps}))];
    takes(t, updates, "entries of a plan").await
}

async fn groups(t: &mut Stage) -> Step {
    let values = pace().get("options").cloned().unwrap_or_default();
    let groups = json!([{"groupId": "g", "name": "Group", "options": values}]);
    let agent = t.agent.clone().opens("configOptions", json!([with(pace(), "options", groups)]));
    works(t, agent, "an option with groups").await
}

async fn odd_options(t: &mut Stage) -> Step {
    let tag = "config_option_update";
    let updates = [json!(null), json!(5), json!([5, {"configId": "odd"}, pace()]), json!([])]
        .map(|options| json!({"sessionUpdate": tag, "configOptions": options}));
    takes(t, updates, "options that are malformed").await
}

async fn commands(t: &mut Stage) -> Step {
    let commands = json!([
        {"type": "command", "name": "acp-check-go", "description": "Goes", "input": {"type": "text", "hint": "where"}},
        {"type": "_acp_check", "name": "acp-check-own", "description": "Custom", "more": {"a": 1}},
        {"type": "_acp_check", "name": "acp-check-bad"},
    ]);
    let update = json!({"sessionUpdate": "available_commands_update", "availableCommands": commands});
    takes(t, [update], "commands of an unknown type").await
}

async fn content(t: &mut Stage) -> Step {
    let icons = json!([
        {"src": "https://example.com/a.svg", "mimeType": "image/svg+xml", "sizes": ["any"]},
        {"src": "data:image/png;base64,aGk=", "theme": "dark"},
    ]);
    let link = json!({
        "type": "resource_link", "uri": "file:///a", "name": "a", "size": u64::MAX, "icons": icons,
        "annotations": {"priority": 0.5, "audience": ["user", "_acp_check"]},
    });
    let unknown = json!({"type": "_acp_check", "more": 1});
    for block in [link, with(text("hello"), "annotations", json!({"priority": 7})), unknown] {
        t.say(json!({"content": block})).await?;
    }
    t.stays_in_turn("content of every kind").await
}

async fn usage(t: &mut Stage) -> Step {
    let used = json!({"sessionUpdate": "usage_update", "used": 10, "size": 100});
    let updates = [
        with(used.clone(), "cost", json!({"amount": 0.5, "currency": "USD"})),
        used.clone(),
        with(used, "cost", Value::Null),
    ];
    takes(t, updates, "the cost of a session").await
}

async fn odd_tags(t: &mut Stage) -> Step {
    let updates = [
        json!({"sessionUpdate": 5}),
        json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": 5}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "x", "content": [{"type": 5}]}),
        json!({"sessionUpdate": "plan_update", "plan": {"type": "_acp_check"}}),
    ];
    takes(t, updates, "tags that are not texts").await
}
