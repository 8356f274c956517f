//! `initialize`: the version, and the capabilities of a client.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client;
use crate::check::client::with;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-init-03", "versions that are not an integer from 0 to 65535", bad_versions).fresh(),
    case!("v1-init-04", "the version 1", known_version).fresh(),
    case!("v1-init-05", "a version that no agent speaks", newer_version).fresh(),
    case!("v1-init-08", "params in the shape of version 2", newer_shape).fresh(),
    case!("v1-init-09", "prompts after an `initialize` in the shape of version 2", newer_capabilities)
        .fresh(),
    case!("v1-init-10", "`session/new` before `initialize`", too_early).fresh(),
    case!("v1-init-13", "the result of `initialize`", result),
    case!("v1-init-15", "the agent's name and version", info),
    case!("v1-init-17", "a `clientInfo` that is not an object", odd_info).fresh(),
    case!("v1-cap-02", "a client without any capability", no_capabilities).fresh(),
    case!("v1-cap-03", "clients with some of the capabilities", mixes).fresh(),
    case!("v1-cap-04", "capabilities that are `null`", null_markers).fresh(),
    case!("v1-cap-05", "malformed capabilities", malformed_markers).fresh(),
    case!("v1-rpc-21", "malformed members that are read as absent", lenient_members).fresh(),
];

async fn accepts(t: &mut Tester, params: Value, of: &str) -> Step<Value> {
    let reply = t.call("initialize", params).await?;
    reply.result(of).cloned()
}

async fn bad_versions(t: &mut Tester) -> Step {
    for version in [json!("1"), json!(-1), json!(1.5), json!(65536)] {
        let params = with(client::initialize(&json!({})), "protocolVersion", version.clone());
        let of = format!("`initialize` with the version {version}");
        t.call("initialize", params).await?.refused(&[-32602, -32600], &of)?;
    }
    Ok(())
}

fn version_of(result: &Value) -> Option<u64> {
    result.get("protocolVersion")?.as_u64()
}

async fn known_version(t: &mut Tester) -> Step {
    let result = accepts(t, client::initialize(&json!({})), "`initialize` with the version 1").await?;
    match version_of(&result) {
        Some(1) => Ok(()),
        seen => Err(Stop::Fail(format!("expected the version 1, seen {seen:?}"))),
    }
}

async fn newer_version(t: &mut Tester) -> Step {
    let params = with(client::initialize(&json!({})), "protocolVersion", json!(65535));
    let result = accepts(t, params.clone(), "`initialize` with the version 65535").await?;
    let Some(answered) = version_of(&result).filter(|version| *version != 65535) else {
        return Err(Stop::Fail("expected the newest version that the agent speaks, seen 65535".to_owned()));
    };
    if answered > 2 {
        return Err(Stop::Fail(format!("the agent answers with the version {answered}, which nobody has")));
    }
    Ok(())
}

/// The params of a client of version 2.
fn shape_of_v2() -> Value {
    json!({
        "protocolVersion": 2,
        "info": {"name": "acp-check", "version": "2"},
        "capabilities": {"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true},
    })
}

async fn newer_shape(t: &mut Tester) -> Step {
    accepts(t, shape_of_v2(), "`initialize` in the shape of version 2").await.map(drop)
}

async fn newer_capabilities(t: &mut Tester) -> Step {
    let result = accepts(t, shape_of_v2(), "`initialize` in the shape of version 2").await?;
    if version_of(&result) != Some(1) {
        return Err(Stop::NotApplicable("the agent speaks version 2".to_owned()));
    }
    t.initialized = Some(result);
    let session = t.new_session().await?;
    for prompt in t.prompts() {
        let reply = t.turn(&session, &prompt).await?;
        let calls = reply.before.iter().filter_map(|message| message.method());
        if let Some(call) =
            calls.into_iter().find(|call| call.starts_with("fs/") || call.starts_with("terminal/"))
        {
            return Err(Stop::Fail(format!("the agent calls `{call}`, which version 1 was not offered")));
        }
    }
    Ok(())
}

pub(in crate::check) async fn too_early(t: &mut Tester) -> Step {
    let params = t.setup();
    t.call("session/new", params).await?.refused(&[-32600], "`session/new` before `initialize`")
}

async fn result(t: &mut Tester) -> Step {
    let result = t.initialize_result().await?;
    if version_of(result).is_none() {
        return Err(Stop::Fail("`protocolVersion` is missing or malformed".to_owned()));
    }
    if !result.get("agentCapabilities").is_some_and(Value::is_object) {
        return Err(Stop::Fail("`agentCapabilities` is missing or not an object".to_owned()));
    }
    Ok(())
}

async fn info(t: &mut Tester) -> Step {
    let result = t.initialize_result().await?;
    for member in ["name", "version"] {
        if result.pointer(&format!("/agentInfo/{member}")).and_then(Value::as_str).is_none() {
            return Err(Stop::Fail(format!("`agentInfo.{member}` is missing or not a string")));
        }
    }
    Ok(())
}

async fn odd_info(t: &mut Tester) -> Step {
    let params = with(client::initialize(&json!({})), "clientInfo", json!(5));
    accepts(t, params, "`initialize` with a number as `clientInfo`").await.map(drop)
}

async fn no_capabilities(t: &mut Tester) -> Step {
    accepts(t, client::initialize(&json!({})), "`initialize` with empty capabilities").await?;
    t.disconnect().await;
    accepts(t, json!({"protocolVersion": 1}), "`initialize` without capabilities").await.map(drop)
}

async fn mixes(t: &mut Tester) -> Step {
    for capabilities in [
        json!({"terminal": true}),
        json!({"fs": {"readTextFile": true}}),
        json!({"fs": {"writeTextFile": true}, "terminal": false, "session": {"notices": {}}}),
        json!({"elicitation": {"url": {}}, "auth": {"terminal": true}}),
    ] {
        let of = format!("`initialize` with the capabilities {capabilities}");
        accepts(t, client::initialize(&capabilities), &of).await?;
        let params = t.setup();
        let reply = t.call("session/new", params).await?;
        if reply.message.code() == Some(-32000) {
            return Err(Stop::Inconclusive("the agent wants a login first".to_owned()));
        }
        reply.result(&format!("`session/new` of a client with the capabilities {capabilities}"))?;
        t.disconnect().await;
    }
    Ok(())
}

async fn null_markers(t: &mut Tester) -> Step {
    let capabilities = json!({
        "fs": null, "elicitation": {"form": null, "url": null},
        "session": {"configOptions": null, "notices": null, "compaction": null},
    });
    accepts(t, client::initialize(&capabilities), "`initialize` with `null` as capabilities").await.map(drop)
}

async fn malformed_markers(t: &mut Tester) -> Step {
    let capabilities = json!({
        "elicitation": {"form": 5, "url": true}, "session": {"notices": true, "compaction": "yes"},
    });
    accepts(t, client::initialize(&capabilities), "`initialize` with malformed capabilities").await.map(drop)
}

async fn lenient_members(t: &mut Tester) -> Step {
    let params = with(
        client::initialize(&json!({"fs": 5, "session": 5, "auth": [], "elicitation": "x"})),
        "_meta",
        json!("text"),
    );
    accepts(t, params, "`initialize` with malformed members that are lenient").await.map(drop)
}
