//! Sessions: how they are opened, named and closed.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::never::Never;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(in crate::check) const CASES: &[Case<Tester>] = &[
    case!("v1-new-01", "three sessions", unique_ids),
    case!(
        "v1-new-02",
        "`session/new` without `cwd`, without `mcpServers`, and with `null`",
        required_members
    ),
    case!("v1-new-03", "a relative `cwd`", relative_cwd),
    case!("v1-new-07", "a relative additional directory", relative_directory),
    case!("v1-new-09", "a malformed entry in `mcpServers`", malformed_entry),
    case!("v1-new-12", "turns of two sessions at once", two_sessions),
    case!("v1-new-13", "a prompt in a session that was never opened", unknown_session),
    case!("v1-new-14", "a prompt in a session that was closed", closed_session),
    case!("v1-close-02", "`session/close` during a turn", close_in_a_turn),
    case!("v1-close-03", "`session/close`", close),
    case!("v1-mcp-02", "the agent's `mcpCapabilities`", mcp_http),
    case!("v1-mcp-08", "a stdio server with `null` and with malformed members", mcp_members),
];

async fn unique_ids(t: &mut Tester) -> Step {
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = t.new_session().await?;
        if ids.contains(&id) {
            return Err(Stop::Fail("two sessions have one id".to_owned()));
        }
        ids.push(id);
    }
    Ok(())
}

async fn required_members(t: &mut Tester) -> Step {
    t.new_session().await?;
    for member in ["cwd", "mcpServers"] {
        let mut params = t.setup();
        if let Some(members) = params.as_object_mut() {
            members.remove(member);
        }
        let of = format!("`session/new` without `{member}`");
        t.call("session/new", params).await?.refused(&[-32602], &of)?;
    }
    let params = with(t.setup(), "mcpServers", Value::Null);
    t.call("session/new", params).await?.result("`session/new` with `null` as `mcpServers`").map(drop)
}

async fn relative_cwd(t: &mut Tester) -> Step {
    t.ready().await?;
    t.call("session/new", json!({"cwd": ".", "mcpServers": []}))
        .await?
        .fails("`session/new` with the `cwd` `.`")
}

async fn relative_directory(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.additionalDirectories").await?;
    let params = with(t.setup(), "additionalDirectories", json!(["notes"]));
    t.call("session/new", params).await?.refused(&[-32602], "a relative additional directory")
}

async fn malformed_entry(t: &mut Tester) -> Step {
    t.ready().await?;
    let params = with(t.setup(), "mcpServers", json!([42]));
    t.call("session/new", params).await?.refused(&[-32602], "a number in `mcpServers`")
}

async fn two_sessions(t: &mut Tester) -> Step {
    let (one, two) = (t.new_session().await?, t.new_session().await?);
    let prompt = t.options.prompt.clone();
    // A turn by itself shows that there is a model.
    t.turn(&one, &prompt).await?;
    let (first, second) = (t.start(&one, &prompt).await?, t.start(&two, &prompt).await?);
    let mut open = vec![first, second];
    while !open.is_empty() {
        let message = t.next("the answers to two prompts").await?;
        if !message.is_answer() {
            continue;
        }
        let Some(at) = message.id().and_then(|id| open.iter().position(|open| open == id)) else { continue };
        open.remove(at);
        if let Some(code) = message.code() {
            return Err(Stop::Inconclusive(format!("a turn ends with the error {code}")));
        }
    }
    Ok(())
}

async fn unknown_session(t: &mut Tester) -> Step {
    t.ready().await?;
    let id = t.start("acp-check-none", "hello").await?;
    let reply = t.finish(&id).await?;
    reply.refused(&[-32002], "a prompt in an unknown session")?;
    match reply.message.pointer("/error/data/sessionId") {
        Some(id) if id == "acp-check-none" => Ok(()),
        _ => Err(Stop::Fail("the error does not name the session in `data.sessionId`".to_owned())),
    }
}

async fn closed(t: &mut Tester) -> Step<String> {
    t.needs("sessionCapabilities.close").await?;
    let session = t.new_session().await?;
    let reply = t.call("session/close", json!({"sessionId": session})).await?;
    match reply.result("`session/close`")? {
        Value::Object(_) | Value::Null => Ok(session),
        _ => Err(Stop::Fail("the result of `session/close` is not an object".to_owned())),
    }
}

async fn close(t: &mut Tester) -> Step {
    closed(t).await.map(drop)
}

async fn closed_session(t: &mut Tester) -> Step {
    let session = closed(t).await?;
    let id = t.start(&session, "hello").await?;
    t.finish(&id).await?.refused(&[-32002], "a prompt in a closed session")
}

async fn close_in_a_turn(t: &mut Tester) -> Step {
    t.needs("sessionCapabilities.close").await?;
    let session = t.new_session().await?;
    let endless = t.endless();
    let turn = t.start(&session, &endless).await?;
    t.begun(&session).await?;
    let close = t.request("session/close", json!({"sessionId": session})).await?;
    let (mut ended, mut answered) = (None, false);
    while ended.is_none() || !answered {
        let message = t.next("the end of the turn, and the answer to `session/close`").await?;
        if message.is_answer() && message.id() == Some(&turn) {
            ended = Some(message.pointer("/result/stopReason").cloned().unwrap_or_default());
        } else if message.is_answer() && message.id() == Some(&close) {
            answered = true;
        }
    }
    match ended {
        Some(reason) if reason == "cancelled" => Ok(()),
        _ if t.options.endless_prompt.is_none() => {
            Err(t.options.without(Never::Endless, "the turn may have ended before the session was closed"))
        }
        seen => Err(Stop::Fail(format!(
            "expected the stop reason `cancelled`, seen {}",
            seen.unwrap_or_default()
        ))),
    }
}

async fn mcp_http(t: &mut Tester) -> Step {
    let offer = t.capability("mcpCapabilities").await?;
    // The specification requires no transport but stdio. An agent that goes further has HTTP.
    let offers = |transport: &str| offer.get(transport) == Some(&Value::Bool(true));
    match (offers("http"), offers("sse")) {
        (true, _) => Ok(()),
        (false, true) => {
            Err(Stop::Fail("the agent offers MCP servers over SSE, and not over HTTP".to_owned()))
        }
        (false, false) => Err(Stop::NotApplicable("the agent offers MCP servers over stdio only".to_owned())),
    }
}

async fn mcp_members(t: &mut Tester) -> Step {
    t.ready().await?;
    let server = |args: Value, env: Value| json!([{"name": "acp-check", "command": "/bin/false", "args": args, "env": env}]);
    let params = with(t.setup(), "mcpServers", server(Value::Null, Value::Null));
    let reply = t.call("session/new", params).await?;
    // The server does not run, which may be an error of its own.
    if reply.message.code() == Some(-32602) {
        return Err(Stop::Fail("`null` as `args` and `env` is refused with -32602".to_owned()));
    }
    let params = with(t.setup(), "mcpServers", server(json!([]), json!([42])));
    t.call("session/new", params).await?.refused(&[-32602], "a number in `env`")
}
