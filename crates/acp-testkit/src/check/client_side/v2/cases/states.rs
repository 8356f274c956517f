//! States of the session: those that end a turn, and those that do not.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::client_side::v2::turn::idle;
use crate::check::subject::{Step, Subject};

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-state-06", "an idle state is repeated before a prompt gets its place", repeated)
        .fresh()
        .survives(),
    case!("v2-state-07", "updates of background work in a session that is idle", background).fresh(),
    case!("v2-state-08", "a state that nobody has, during a turn", unknown_state).fresh().survives(),
    case!("v2-state-11", "a turn ends without a reason, and by reasons of every kind", reasons).fresh(),
    case!("v2-bg-01", "states with and without a list of background work", lists).survives(),
    case!("v2-bg-05", "a turn ends with a list that has an unknown item, and a malformed one", odd_lists)
        .fresh(),
];

async fn repeated(t: &mut Stage) -> Step {
    t.agent.held = &["session/prompt"];
    let state = idle(&json!("end_turn"));
    t.agent.opening = vec![with(state.clone(), "sessionUpdate", "state_update".into())];
    t.turn().await?;
    for _ in 0..2 {
        t.state(state.clone()).await?;
    }
    t.stays_in_turn("an idle state that is repeated before the prompt is answered").await
}

/// Work in the background does not make a session busy: the client prompts.
async fn background(t: &mut Stage) -> Step {
    if !t.comes_to(Point::Prompt) {
        return t.prompts().await;
    }
    let text = json!({"type": "text", "text": "from the background"});
    t.agent.opening = vec![
        json!({"sessionUpdate": "state_update", "state": "idle"}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "acp-check-work", "title": "Work",
            "status": "in_progress"}),
        json!({"sessionUpdate": "agent_message", "messageId": "acp-check-work", "content": [text]}),
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
    ];
    t.prompts().await
}

async fn unknown_state(t: &mut Stage) -> Step {
    t.state(json!({"state": "_acp_check", "stopReason": "end_turn", "more": 1})).await?;
    t.stays_in_turn("an unknown state").await
}

async fn reasons(t: &mut Stage) -> Step {
    let error = json!({"code": -32603, "message": "acp check: this is on purpose"});
    for (state, of) in [
        (json!({"state": "idle"}), "an idle state without a reason"),
        (idle(&Value::Null), "an idle state whose reason is `null`"),
        (idle(&json!(5)), "an idle state whose reason is a number"),
        (with(idle(&json!("end_turn")), "error", error.clone()), "an error beside the reason `end_turn`"),
        (with(idle(&json!("_acp_check")), "detail", json!({"a": 1})), "an unknown reason"),
        (idle(&json!("error")), "the reason `error` without an error"),
        (with(idle(&json!("error")), "error", error.clone()), "the reason `error`"),
    ] {
        t.ends_by(&state, of).await?;
        t.disconnect().await;
    }
    Ok(())
}

async fn lists(t: &mut Stage) -> Step {
    let running = json!({"state": "running"});
    let call = json!({"sessionUpdate": "tool_call_update", "toolCallId": "acp-check-work", "title": "Work"});
    t.update(call).await?;
    for list in [json!([{"type": "tool_call", "toolCallId": "acp-check-work"}]), json!([]), Value::Null] {
        t.state(with(running.clone(), "background", list)).await?;
    }
    t.state(running).await?;
    t.stays_in_turn("a list of background work").await
}

async fn odd_lists(t: &mut Stage) -> Step {
    for (list, of) in [
        (json!([{"type": "_acp_check", "more": 1}]), "a list with an item of an unknown type"),
        (json!([{"type": "tool_call"}, {"type": "_acp_check"}]), "a list with a malformed item"),
        (json!(5), "a number as the list of background work"),
    ] {
        t.state(json!({"state": "running", "background": list})).await?;
        t.stays_in_turn(of).await?;
        t.ends_by(&with(idle(&json!("end_turn")), "background", list), of).await?;
        t.disconnect().await;
    }
    Ok(())
}
