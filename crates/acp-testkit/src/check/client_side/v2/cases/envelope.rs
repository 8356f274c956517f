//! Ids, arrays, error data, and the methods that version 2 no longer has.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::cases::{ends, permission, rpc};
use crate::check::client_side::stage::Stage;
use crate::check::either;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-rpc-01", "a request with the id `null`", null_id).survives(),
    case!("v2-rpc-02", "requests with the ids 0, -1, \"0\" and a long string", either::ids),
    case!("v2-rpc-04", "a request under the id that the open prompt has", same_id).fresh().survives(),
    case!("v2-rpc-05", "a line that is not JSON", unreadable_id).survives(),
    case!("v2-rpc-06", "an empty array and an array of two requests", either::arrays).survives(),
    case!("v2-err-04", "a prompt is refused, and the error has `data: null`", null_data).fresh(),
    case!("v2-term-01", "requests to run a command and to read a file", gone),
    case!("v2-meta-02", "a permission request with `_meta: null`", null_meta),
];

async fn null_id(t: &mut Stage) -> Step {
    let request = r#"{"jsonrpc":"2.0","id":null,"method":"_acp_check/fence","params":{}}"#;
    either::broken(t, request, -32600, "a request with the id `null`").await
}

async fn same_id(t: &mut Stage) -> Step {
    t.agent.held = &["session/prompt"];
    rpc::same_id(t).await
}

/// Agents are known to print other texts, so a client may also pass over the line.
async fn unreadable_id(t: &mut Stage) -> Step {
    match either::answers(t, "{").await?.first() {
        None => Ok(()),
        Some(answer) if answer.get("id").is_some_and(Value::is_null) => Ok(()),
        Some(_) => Err(Stop::Fail("half an object: expected an error with the id `null`".to_owned())),
    }
}

async fn null_data(t: &mut Stage) -> Step {
    let error = json!({"code": -32603, "message": "acp check: this is on purpose", "data": null});
    ends::ends(t, error).await
}

async fn gone(t: &mut Stage) -> Step {
    let path = t.options.cwd.join("acp-check-none.txt");
    for (method, params) in [
        ("terminal/create", json!({"command": "acp-check-none"})),
        ("fs/read_text_file", json!({"path": path})),
    ] {
        t.ask(method, params).await?.refused(&[-32601], method)?;
    }
    Ok(())
}

async fn null_meta(t: &mut Stage) -> Step {
    permission::reads(t, json!({"_meta": null}), "a tool call with `_meta: null`").await?;
    t.say(json!({"content": {"type": "text", "text": "hello", "_meta": null}, "_meta": null})).await?;
    t.goes_on("a piece of a message with `_meta: null`").await
}
