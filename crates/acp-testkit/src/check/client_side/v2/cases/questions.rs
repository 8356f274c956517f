//! Questions of the agent to the user: permissions and forms.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::cases::elicitation::{ask, question as form};
use crate::check::client_side::cases::permission::{OPTIONS, consent, options};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};

pub(super) const CASES: &[Case<Stage>] = &[
    case!(
        "v2-perm-05",
        "a permission request without a subject, of every type, and of a malformed one",
        kinds
    ),
    case!("v2-ext-04", "a malformed subject of a known type, and a malformed notice", malformed).survives(),
    case!("v2-eli-01", "a form with two scopes, and one without any", scopes),
    case!("v2-eli-03", "forms without `type`, without `properties` and with an empty list", schemas),
];

fn about(subject: &Value) -> Value {
    json!({"title": "Work", "options": options(OPTIONS), "subject": subject})
}

async fn kinds(t: &mut Stage) -> Step {
    let without = json!({"title": "Work", "description": "acp check", "options": options(OPTIONS)});
    consent(t, without, "a permission request without a subject").await?;
    let command = json!({"type": "command", "command": "make", "cwd": t.options.cwd});
    for (subject, of) in [
        (Value::Null, "a permission request whose subject is `null`"),
        (command, "a permission request for a command"),
        (json!({"type": "_acp_check", "more": 1}), "a permission request with an unknown subject"),
    ] {
        consent(t, about(&subject), of).await?;
    }
    let reply = t.ask("session/request_permission", about(&json!({"type": "tool_call"}))).await?;
    reply.refused(&[-32602], "a permission request whose subject has no tool call")
}

async fn malformed(t: &mut Stage) -> Step {
    let command = json!({"type": "command", "command": 5});
    let reply = t.ask("session/request_permission", about(&command)).await?;
    reply.refused(&[-32602], "a permission request for a command that is a number")?;
    t.update(json!({"sessionUpdate": "notice", "severity": "info"})).await?;
    t.update(json!({"sessionUpdate": "state_update", "state": 5})).await?;
    t.stays_in_turn("a notice without a title").await
}

async fn scopes(t: &mut Stage) -> Step {
    ask(t, form()).await?.result("a form")?;
    let reply = ask(t, with(form(), "requestId", json!(1))).await?;
    reply.refused(&[-32602], "a form of a session and of a request")?;
    let reply = t.call("elicitation/create", form()).await?;
    reply.refused(&[-32602], "a form of nothing")
}

async fn schemas(t: &mut Stage) -> Step {
    let name = json!({"type": "string"});
    for (schema, of) in [
        (json!({"properties": {"name": name}}), "a form without `type`"),
        (json!({"type": "object"}), "a form without `properties`"),
        (json!({"type": "array", "properties": {}}), "a form that is an array"),
    ] {
        let reply = ask(t, with(form(), "requestedSchema", schema)).await?;
        reply.refused(&[-32602], of)?;
    }
    Ok(())
}
