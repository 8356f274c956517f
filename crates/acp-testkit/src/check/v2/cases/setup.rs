//! How sessions are opened: their members, their servers, malformed blocks.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::subject::{Reply, Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-new-01", "`session/new` with `cwd` only, and without `cwd`", required_members),
    case!("v2-new-06", "two MCP servers of one name", duplicate_names),
    case!("v2-mcp-01", "an MCP server without a type, and one with required members only", server_members),
    case!("v2-res-01", "`session/load`", load),
    case!("v2-meta-02", "`null` as `_meta`", null_meta),
    case!("v2-ext-04", "a text block without a text", malformed_block),
    case!("v2-ext-05", "blocks whose tag is missing or a number", untagged_block),
];

/// Sends `session/new`. An agent that wants a login leaves a rule open.
async fn new(t: &mut Tester, params: Value) -> Step<Reply> {
    t.ready().await?;
    let reply = t.call("session/new", params).await?;
    match reply.message.code() {
        Some(-32000) => Err(Stop::Inconclusive("the agent wants a login first".to_owned())),
        _ => Ok(reply),
    }
}

async fn required_members(t: &mut Tester) -> Step {
    let cwd = json!({"cwd": t.options.cwd});
    new(t, cwd).await?.result("`session/new` without `mcpServers`")?;
    new(t, json!({"mcpServers": []})).await?.refused(&[-32602], "`session/new` without `cwd`")
}

/// Returns a server of a transport that the agent takes, with the required members only.
async fn server(t: &mut Tester) -> Step<Value> {
    if t.capability("session.mcp.stdio").await?.is_object() {
        return Ok(json!({"type": "stdio", "name": "acp-check", "command": "/bin/false"}));
    }
    t.needs("session.mcp.http").await?;
    Ok(json!({"type": "http", "name": "acp-check", "url": "http://127.0.0.1:9/"}))
}

async fn duplicate_names(t: &mut Tester) -> Step {
    let server = server(t).await?;
    let params = with(t.setup(), "mcpServers", json!([server, server]));
    new(t, params).await?.refused(&[-32602], "two MCP servers of one name")
}

async fn server_members(t: &mut Tester) -> Step {
    let server = server(t).await?;
    let params = with(t.setup(), "mcpServers", json!([server]));
    // The server does not run, which may be an error of its own.
    if new(t, params).await?.message.code() == Some(-32602) {
        return Err(Stop::Fail("an MCP server with the required members only is refused".to_owned()));
    }
    let untyped = json!([{"name": "acp-check", "command": "/bin/false", "url": "http://127.0.0.1:9/"}]);
    let params = with(t.setup(), "mcpServers", untyped);
    new(t, params).await?.refused(&[-32602], "an MCP server without a `type`")
}

async fn load(t: &mut Tester) -> Step {
    t.ready().await?;
    let params = json!({"sessionId": "acp-check-none", "cwd": t.options.cwd, "mcpServers": []});
    t.call("session/load", params).await?.refused(&[-32601], "`session/load`")
}

async fn null_meta(t: &mut Tester) -> Step {
    let params = with(t.setup(), "_meta", Value::Null);
    new(t, params).await?.result("`session/new` with `null` as `_meta`").map(drop)
}

async fn refuses_block(t: &mut Tester, block: Value, of: &str) -> Step {
    let session = t.session().await?;
    let params = json!({"sessionId": session, "prompt": [block]});
    t.call("session/prompt", params).await?.refused(&[-32602], of)
}

async fn malformed_block(t: &mut Tester) -> Step {
    refuses_block(t, json!({"type": "text", "words": "hello"}), "a text block without `text`").await
}

async fn untagged_block(t: &mut Tester) -> Step {
    refuses_block(t, json!({"text": "hello"}), "a block without a `type`").await?;
    refuses_block(t, json!({"type": 5, "text": "hello"}), "a block with a number as `type`").await
}
