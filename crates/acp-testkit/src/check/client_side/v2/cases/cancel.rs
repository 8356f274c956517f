//! `session/cancel` of the client, and `$/cancel_request` of the agent.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::cases::cancel::{asked, cancel_request, finished, request};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-cancel-05", "`$/cancel_request` for a permission request that is open", pending).fresh(),
    case!("v2-cancel-08", "updates of a tool call after `session/cancel`", late).fresh().survives(),
    case!("v2-creq-01", "`$/cancel_request` with the id of the client's prompt", other_way)
        .fresh()
        .survives(),
    case!("v2-creq-02", "`$/cancel_request` for a permission request", request),
    case!("v2-creq-03", "`$/cancel_request` for ids without a request", finished).survives(),
];

async fn pending(t: &mut Stage) -> Step {
    let (id, answered) = asked(t).await?;
    if answered {
        return Err(Stop::NotApplicable("the client answers permission requests at once".to_owned()));
    }
    cancel_request(t, &id).await?;
    let reply = t.reply(&id).await.map_err(|stop| match stop {
        Stop::Silent(_) => Stop::Inconclusive("the client leaves permission requests to a user".to_owned()),
        stop => stop,
    })?;
    let result = reply.result("a permission request that was cancelled")?;
    match result.pointer("/outcome/outcome").and_then(Value::as_str) {
        // The answer may have been under way.
        Some("cancelled" | "selected") => Ok(()),
        seen => Err(Stop::Fail(format!("expected the outcome `cancelled`, seen {seen:?}"))),
    }
}

async fn late(t: &mut Stage) -> Step {
    let session = t.turn().await?;
    t.cancelled().await?;
    for members in [json!({"title": "Late", "status": "in_progress"}), json!({"status": "cancelled"})] {
        let update = with(members, "sessionUpdate", "tool_call_update".into());
        let update = with(update, "toolCallId", "acp-check-late".into());
        t.notify("session/update", json!({"sessionId": session, "update": update})).await?;
    }
    t.fence().await.map(drop)?;
    t.finish("cancelled").await
}

/// The id is that of a request which the client has made, so it is not the agent's to cancel.
async fn other_way(t: &mut Stage) -> Step {
    t.agent.held = &["session/prompt"];
    t.turn().await?;
    let id = t.agent.prompt.as_ref().and_then(|prompt| prompt.id().cloned()).unwrap_or_default();
    cancel_request(t, &id).await?;
    t.stays_in_turn("`$/cancel_request` with the id of the client's own request").await
}
