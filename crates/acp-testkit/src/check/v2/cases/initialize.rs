//! `initialize`: the version, the members of the client, and what the answer promises.

use serde_json::{Value, json};

use super::settings;
use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::subject::{Reply, Step, Subject};
use crate::check::tester::Tester;
use crate::check::v2::client::{initialize, of_version};
use crate::check::v2::turn::Turn;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-init-01", "`initialize` of version 2 without `info`", without_info).fresh(),
    case!("v2-init-02", "`initialize` with the versions 2, 3 and 65535", versions).fresh(),
    case!("v2-init-03", "`initialize` with version 1, then with version 2", retried).fresh().survives(),
    case!("v2-init-05", "a malformed `info` of the versions 3 and 2", odd_info).fresh(),
    case!("v2-init-07", "a repeated `initialize` that fails, then a session", repeated).fresh(),
    case!("v2-init-08", "notifications before `initialize`", early_notifications).fresh().survives(),
    case!("v2-cap-02", "every method that `session` promises", whole_session),
    case!("v2-cap-08", "a block, a server, a value and a cursor of unknown types", unknown_types),
];

fn hello() -> Value {
    initialize(&json!({}))
}

fn without(mut params: Value, member: &str) -> Value {
    if let Some(members) = params.as_object_mut() {
        members.remove(member);
    }
    params
}

/// Stops for an agent that has chosen another version.
fn chosen(reply: &Reply, of: &str) -> Step<u64> {
    let version = reply.result(of)?.get("protocolVersion").and_then(Value::as_u64);
    version.ok_or_else(|| Stop::Fail(format!("{of}: `protocolVersion` is missing or malformed")))
}

async fn without_info(t: &mut Tester) -> Step {
    let reply = t.call("initialize", without(hello(), "info")).await?;
    if reply.message.pointer("/result/protocolVersion").is_some_and(|version| *version == 1) {
        return Err(Stop::Inconclusive("the agent does not choose version 2".to_owned()));
    }
    reply.refused(&[-32602], "`initialize` of version 2 without `info`")
}

async fn versions(t: &mut Tester) -> Step {
    for version in [2, 3, 65535] {
        let of = format!("`initialize` with the version {version}");
        match chosen(&t.call("initialize", of_version(version)).await?, &of)? {
            2 => t.disconnect().await,
            1 if version == 2 => {
                return Err(Stop::Inconclusive("the agent does not choose version 2".to_owned()));
            }
            seen => return Err(Stop::Fail(format!("{of}: expected the version 2, seen {seen}"))),
        }
    }
    Ok(())
}

async fn retried(t: &mut Tester) -> Step {
    let reply = t.call("initialize", of_version(1)).await?;
    if reply.message.result().is_some() {
        return Err(Stop::NotApplicable("the agent speaks version 1".to_owned()));
    }
    reply.refused(&[-32022], "`initialize` with the version 1")?;
    let reply = t.call("initialize", hello()).await?;
    reply.result("`initialize` with the version 2 after a refusal").map(drop)
}

async fn odd_info(t: &mut Tester) -> Step {
    let params = with(of_version(3), "info", json!(5));
    chosen(&t.call("initialize", params).await?, "`initialize` of version 3 with a number as `info`")?;
    t.disconnect().await;
    let reply = t.call("initialize", with(hello(), "info", json!(5))).await?;
    reply.refused(&[-32602], "`initialize` of version 2 with a number as `info`")
}

async fn repeated(t: &mut Tester) -> Step {
    t.ready().await?;
    let reply = t.call("initialize", of_version(1)).await?;
    reply.fails("a repeated `initialize` with the version 1")?;
    let params = t.setup();
    match t.call("session/new", params).await?.message.code() {
        Some(-32600 | -32601) => {
            Err(Stop::Fail("after a repeated `initialize` that has failed no session opens".to_owned()))
        }
        _ => Ok(()),
    }
}

async fn early_notifications(t: &mut Tester) -> Step {
    t.notify("session/cancel", json!({"sessionId": "acp-check-none"})).await?;
    t.notify("_acp_check/event", json!({})).await?;
    t.goes_on("a notification before `initialize`").await?;
    t.call("initialize", hello()).await?.result("`initialize` after notifications").map(drop)
}

async fn whole_session(t: &mut Tester) -> Step {
    t.needs("session").await?;
    let cwd = t.options.cwd.clone();
    for (method, params) in [
        ("session/new", t.setup()),
        ("session/list", json!({})),
        ("session/resume", json!({"sessionId": "acp-check-none", "cwd": cwd})),
        ("session/close", json!({"sessionId": "acp-check-none"})),
        ("session/prompt", json!({"sessionId": "acp-check-none", "prompt": []})),
    ] {
        if t.call(method, params).await?.message.code() == Some(-32601) {
            return Err(Stop::Fail(format!("`session` is offered, and `{method}` is not known")));
        }
    }
    let session = t.session().await?;
    let turn = Turn::plain(t, &session).await?;
    if turn.updates().next().is_none() {
        return Err(Stop::Fail("a whole turn has no `session/update`".to_owned()));
    }
    turn.cancel(t).await
}

async fn unknown_types(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let block = json!({"sessionId": session, "prompt": [{"type": "_acp_check", "text": "hello"}]});
    t.call("session/prompt", block).await?.refused(&[-32602], "a block of an unknown type")?;
    let servers = json!([{"type": "_acp_check", "name": "acp-check"}]);
    let params = with(t.setup(), "mcpServers", servers);
    t.call("session/new", params).await?.refused(&[-32602], "an MCP server of an unknown type")?;
    let cursor = json!({"sessionId": session, "cwd": t.options.cwd, "replayFrom": {"type": "_acp_check"}});
    t.call("session/resume", cursor).await?.refused(&[-32602], "a replay from an unknown place")?;
    match settings::select(t).await {
        Ok(select) => {
            let params = with(select.set(&select.value), "type", json!("_acp_check"));
            let reply = t.call("session/set_config_option", params).await?;
            reply.refused(&[-32602], "a value of an unknown type")
        }
        Err(Stop::NotApplicable(_)) => Ok(()),
        Err(stop) => Err(stop),
    }
}
