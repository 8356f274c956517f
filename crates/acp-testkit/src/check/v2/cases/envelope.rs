//! Ids, arrays, unknown methods, unknown sessions.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::cases::initialize;
use crate::check::either;
use crate::check::subject::{Reply, Step, Subject};
use crate::check::tester::Tester;
use crate::check::v2::ask;
use crate::check::v2::client::of_version;
use crate::check::v2::turn::owed;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-rpc-01", "a request with the id `null`", null_id).survives(),
    case!("v2-rpc-02", "requests with the ids 0, -1, \"0\" and a long string", either::ids),
    case!("v2-rpc-04", "a request with the id of the agent's open request", equal_ids),
    case!("v2-rpc-05", "a line whose id cannot be read", unreadable_id).survives(),
    case!("v2-rpc-06", "an empty array and an array of two requests", either::arrays).survives(),
    case!("v2-rpc-07", "methods that nobody has", either::unknown_methods),
    case!("v2-err-01", "requests that name a session that nobody has", unknown_session),
    case!("v2-err-02", "`session/new` before `initialize`", initialize::too_early).fresh(),
    case!("v2-err-03", "`initialize` with the versions 0 and 1", old_versions).fresh(),
    case!("v2-err-04", "a permission request that is answered with `data: null`", null_data).survives(),
    case!("v2-err-05", "`tool_call/cancel` and `terminal/cancel` of what nobody has", entities),
];

async fn null_id(t: &mut Tester) -> Step {
    let request = r#"{"jsonrpc":"2.0","id":null,"method":"session/list","params":{}}"#;
    either::broken(t, request, -32600, "a request with the id `null`").await
}

async fn equal_ids(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::permission(t).await?;
    let id = question.id().cloned().unwrap_or_default();
    t.raw(&json!({"jsonrpc": "2.0", "id": id, "method": "_acp_check/fence", "params": {}}).to_string())
        .await?;
    let reply = owed(t.reply(&id).await)?;
    for message in reply.before {
        turn.add(message)?;
    }
    ask::allow(t, &question).await?;
    turn.finish(t).await
}

async fn unreadable_id(t: &mut Tester) -> Step {
    let answers = either::answers(t, "{").await?;
    let answer = answers.first();
    match answer.and_then(|answer| answer.get("id")) {
        Some(Value::Null) => Ok(()),
        Some(id) => Err(Stop::Fail(format!("half an object is answered under the id {id}"))),
        None if answer.is_some() => Err(Stop::Fail("the error has no `id`, which must be `null`".to_owned())),
        None => Err(Stop::Fail("half an object is not answered".to_owned())),
    }
}

async fn unknown_session(t: &mut Tester) -> Step {
    t.ready().await?;
    let none = "acp-check-none";
    let prompt = json!({"sessionId": none, "prompt": [{"type": "text", "text": "hello"}]});
    let set = json!({"sessionId": none, "configId": "x", "type": "id", "value": "x"});
    let resume = json!({"sessionId": none, "cwd": t.options.cwd});
    for (method, params) in
        [("session/prompt", prompt), ("session/resume", resume), ("session/set_config_option", set)]
    {
        let reply = t.call(method, params).await?;
        // An agent whose sessions have no options need not have the method.
        if method == "session/set_config_option" && reply.message.code() == Some(-32601) {
            continue;
        }
        reply.refused(&[-32002], &format!("`{method}` of an unknown session"))?;
        if reply.message.pointer("/error/data/sessionId").is_none_or(|id| id != none) {
            return Err(Stop::Fail(format!("the error of `{method}` does not name it in `data.sessionId`")));
        }
    }
    Ok(())
}

async fn old_versions(t: &mut Tester) -> Step {
    for version in [0, 1] {
        let answer = t.call("initialize", of_version(version)).await?.message;
        if answer.result().is_some() {
            t.disconnect().await;
            continue;
        }
        let supported = answer.pointer("/error/data/supported").and_then(Value::as_array);
        let speaks =
            supported.is_some_and(|versions| versions.iter().all(Value::is_u64) && !versions.is_empty());
        let requested = answer.pointer("/error/data/requested").is_some_and(|asked| *asked == version);
        return match answer.code() {
            Some(-32022) if speaks && requested => Ok(()),
            Some(-32022) => Err(Stop::Fail(
                "`data` of the error -32022 does not have `requested` and `supported`".to_owned(),
            )),
            seen => Err(Stop::Fail(format!(
                "`initialize` with the version {version}: expected a result or the error -32022, seen {seen:?}"
            ))),
        };
    }
    Err(Stop::NotApplicable("the agent speaks version 1".to_owned()))
}

async fn null_data(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::permission(t).await?;
    let error = json!({"code": -32603, "message": "the checker has no answer", "data": null});
    t.raw(&json!({"jsonrpc": "2.0", "id": question.id(), "error": error}).to_string()).await?;
    turn.finish(t).await
}

async fn entities(t: &mut Tester) -> Step {
    let session = t.session().await?;
    for (method, reply) in cancel_unknown(t, &session).await? {
        if reply.message.code() == Some(-32601) {
            return Err(Stop::Fail(format!("`{method}`: expected the error -32602, seen the error -32601")));
        }
    }
    Ok(())
}

/// Cancels a tool call and a terminal that the session does not have. Returns the answers.
pub(super) async fn cancel_unknown(t: &mut Tester, session: &str) -> Step<Vec<(&'static str, Reply)>> {
    let mut answers = Vec::new();
    for (method, member) in [("tool_call/cancel", "toolCallId"), ("terminal/cancel", "terminalId")] {
        let params = json!({"sessionId": session, member: "acp-check-none"});
        answers.push((method, t.call(method, params).await?));
    }
    Ok(answers)
}
