//! Questions of the agent to the user.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Reply, Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    // A rule over all lines looks at the answer, and others at its content.
    case!("v1-eli-15", "a form", form),
    case!("v1-eli-21", "the end of a question that nobody has asked", complete).survives(),
    case!("v1-eli-22", "a question in a mode that nobody has", unknown_mode),
    case!("v1-eli-24", "a form with a malformed constraint", strict),
];

/// A form with a text of some length and a choice.
pub(in crate::check::client_side) fn question() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 2, "maxLength": 40},
            "pace": {"type": "string", "enum": ["slow", "fast"]},
            "count": {"type": "integer"},
        },
        "required": ["name"],
    });
    json!({"mode": "form", "message": "acp check: which?", "requestedSchema": schema})
}

/// Asks, and leaves the rule open if a user is to answer.
pub(in crate::check::client_side) async fn ask(t: &mut Stage, params: Value) -> Step<Reply> {
    t.needs("elicitation.form").await?;
    t.ask("elicitation/create", params).await.map_err(|stop| match stop {
        Stop::Silent(_) => Stop::Inconclusive("the client leaves questions to a user".to_owned()),
        stop => stop,
    })
}

async fn form(t: &mut Stage) -> Step {
    ask(t, question()).await?.result("a form").map(drop)
}

async fn complete(t: &mut Stage) -> Step {
    t.needs("elicitation").await?;
    t.notify("elicitation/complete", json!({"elicitationId": "acp-check-none"})).await?;
    t.goes_on("the end of an unknown question").await
}

async fn unknown_mode(t: &mut Stage) -> Step {
    let reply = ask(t, with(question(), "mode", "_acp_check".into())).await?;
    let accepts = reply.message.result().and_then(|result| result.get("action")?.as_str()) == Some("accept");
    if accepts { Err(Stop::Fail("a question in an unknown mode is accepted".to_owned())) } else { Ok(()) }
}

async fn strict(t: &mut Stage) -> Step {
    let name = json!({"type": "string", "minLength": "three"});
    let schema = json!({"type": "object", "properties": {"name": name}});
    let reply = ask(t, with(question(), "requestedSchema", schema)).await?;
    reply.refused(&[-32602], "a form with a text as `minLength`")
}
