//! Content and other updates as a client reads them.

use serde_json::{Value, json};

use super::permission::reads;
use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-cont-07", "annotations that are malformed", odd_annotations).survives(),
    case!("v1-rpc-26", "an update of a kind that nobody has, then an ordinary one", unknown_update)
        .survives(),
    case!("v1-plan-06", "a plan with every priority and status", plan).survives(),
    case!("v1-cmd-02", "commands with and without an input", commands).survives(),
    case!("v1-cmd-03", "a prompt that runs a command", command).fresh(),
];

async fn odd_annotations(t: &mut Stage) -> Step {
    for annotations in [json!(5), json!({"priority": "high", "audience": [5]})] {
        let text = json!({"type": "text", "text": "hello", "annotations": annotations});
        t.say(json!({"content": text})).await?;
        t.goes_on("malformed annotations").await?;
        let content = json!([{"type": "content", "content": text}]);
        reads(t, json!({"content": content}), "content with malformed annotations").await?;
    }
    Ok(())
}

async fn unknown_update(t: &mut Stage) -> Step {
    t.update(json!({"sessionUpdate": "acp_check_update", "content": 5})).await?;
    t.say(json!({"content": {"type": "text", "text": "hello"}})).await?;
    t.goes_on("an unknown update").await
}

async fn plan(t: &mut Stage) -> Step {
    let entry =
        |priority: &str, status: &str| json!({"content": "x", "priority": priority, "status": status});
    let entries = [entry("high", "pending"), entry("medium", "in_progress"), entry("low", "completed")];
    t.update(json!({"sessionUpdate": "plan", "entries": entries})).await?;
    t.update(json!({"sessionUpdate": "plan", "entries": []})).await?;
    t.goes_on("a plan").await
}

/// Commands that the agent offers.
fn offered() -> Value {
    let commands = json!([
        {"name": "acp-check-go", "description": "Goes"},
        {"name": "acp-check-to", "description": "Goes there", "input": {"hint": "where"}},
        {"name": "acp-check-not", "description": "Stays", "input": null},
    ]);
    json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})
}

async fn commands(t: &mut Stage) -> Step {
    t.update(offered()).await?;
    t.goes_on("commands").await
}

async fn command(t: &mut Stage) -> Step {
    t.prompt = "/acp-check-go there".to_owned();
    t.agent.opening = vec![offered()];
    t.turn().await?;
    let prompt = t.agent.prompt.as_ref().map(|prompt| prompt.params().clone()).unwrap_or_default();
    let blocks = prompt.get("prompt").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
    if texts.iter().all(|text| !text.contains("acp-check-go")) {
        let reason = "the client does not send the text that it is given as a prompt";
        return Err(Stop::NotApplicable(reason.to_owned()));
    }
    if texts.iter().any(|text| text.starts_with("/acp-check-go")) {
        return Ok(());
    }
    Err(Stop::Fail("the command is not the beginning of a text block".to_owned()))
}
