//! Sessions: their setup, and the list of them.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-new-02", "a session opens with `null` as its options and commands", null_lists)
        .fresh()
        .survives(),
    case!("v2-new-03", "a session opens, and no state is reported", fresh_session).fresh(),
    case!("v2-new-05", "updates come before the answer to `session/new`", early).fresh().survives(),
    case!("v2-list-03", "the cursor of the second page is an empty text", empty_cursor).fresh(),
];

async fn null_lists(t: &mut Stage) -> Step {
    t.agent = t.agent.clone().opens("configOptions", Value::Null).opens("availableCommands", Value::Null);
    t.ready_with_less().await?;
    t.goes_on("`null` as options and commands").await
}

/// A client that prompts only after a report of the state takes a new session for busy.
async fn fresh_session(t: &mut Stage) -> Step {
    let open = match t.prompts().await {
        Ok(()) => return Ok(()),
        Err(Stop::Inconclusive(reason)) => reason,
        Err(stop) => return Err(stop),
    };
    t.agent.opening = vec![json!({"sessionUpdate": "state_update", "state": "idle"})];
    match t.until(&["session/prompt"]).await {
        Ok(_) => Err(Stop::Fail("the client prompts only after a state was reported".to_owned())),
        Err(_) => Err(Stop::Inconclusive(open)),
    }
}

async fn early(t: &mut Stage) -> Step {
    let text = json!({"type": "text", "text": "early"});
    t.agent.early = vec![
        json!({"sessionUpdate": "agent_message", "messageId": "acp-check-early", "content": [text]}),
        json!({"sessionUpdate": "state_update", "state": "idle"}),
    ];
    t.ready().await?;
    t.goes_on("updates before the answer to `session/new`").await
}

async fn empty_cursor(t: &mut Stage) -> Step {
    if !t.pages {
        let reason = "the client does not ask for a second page of the list";
        return Err(Stop::NotApplicable(reason.to_owned()));
    }
    t.agent.cursor = "".into();
    // It may end before its prompt.
    let _ = t.ready().await;
    match t.agent.asked_pages.first() {
        Some(cursor) if cursor == "" => Ok(()),
        _ => Err(Stop::Fail("the client takes an empty cursor for the end of the list".to_owned())),
    }
}
