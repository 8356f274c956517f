//! The list of sessions, and their deletion.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-rpc-10", "`session/list` without `params`, and with `null`", without_params),
    case!("v1-list-01", "`session/list` of a folder that nobody has", odd_filter),
    case!("v1-list-02", "`session/list` with empty params", first_page),
    case!("v1-list-06", "`session/list` with a bad cursor", bad_cursor),
    case!("v1-del-01", "a session is deleted and the others are listed", deleted),
    case!("v1-del-02", "a session is deleted twice, and one that never was", deleted_twice),
];

const LIST: &str = "sessionCapabilities.list";

/// Checks a page, and returns its sessions.
fn sessions(result: &Value) -> Step<&Vec<Value>> {
    let sessions = result.get("sessions").and_then(Value::as_array);
    sessions.ok_or_else(|| Stop::Fail("the result has no array `sessions`".to_owned()))
}

async fn without_params(t: &mut Tester) -> Step {
    t.needs(LIST).await?;
    for params in ["", r#","params":null"#] {
        let id = json!(format!("acp-check-list{}", params.len()));
        t.raw(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/list"{params}}}"#)).await?;
        let of =
            if params.is_empty() { "`session/list` without params" } else { "`session/list` with `null`" };
        t.reply(&id).await?.result(of)?;
    }
    Ok(())
}

async fn odd_filter(t: &mut Tester) -> Step {
    t.needs(LIST).await?;
    let folder = t.options.cwd.join("acp-check-nobody-has-this-folder");
    let reply = t.call("session/list", json!({"cwd": folder})).await?;
    sessions(reply.result("`session/list` with a `cwd`")?).map(drop)
}

async fn first_page(t: &mut Tester) -> Step {
    t.needs(LIST).await?;
    let reply = t.call("session/list", json!({})).await?;
    sessions(reply.result("`session/list`")?).map(drop)
}

async fn bad_cursor(t: &mut Tester) -> Step {
    t.needs(LIST).await?;
    let params = json!({"cursor": "acp-check \u{0} is not a cursor"});
    t.call("session/list", params).await?.refused(&[-32602], "`session/list` with a bad cursor")
}

async fn delete(t: &mut Tester, session: &str) -> Step {
    let reply = t.call("session/delete", json!({"sessionId": session})).await?;
    reply.result("`session/delete`").map(drop)
}

async fn deleted(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.delete").await?;
    t.needs(LIST).await?;
    let session = t.new_session().await?;
    let prompt = t.options.prompt.clone();
    // Many agents list a session once it has a turn.
    let _ = t.turn(&session, &prompt).await;
    delete(t, &session).await?;
    let params = json!({"cwd": t.options.cwd});
    let reply = t.call("session/list", params).await?;
    let listed = sessions(reply.result("`session/list`")?)?;
    if listed.iter().any(|entry| entry.get("sessionId").is_some_and(|id| id == session.as_str())) {
        return Err(Stop::Fail("the deleted session is listed".to_owned()));
    }
    Ok(())
}

async fn deleted_twice(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.delete").await?;
    let session = t.new_session().await?;
    delete(t, &session).await?;
    delete(t, &session).await?;
    delete(t, "acp-check-none").await
}
