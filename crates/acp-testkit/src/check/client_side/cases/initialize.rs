//! `initialize`: the agent's answers that a client must understand.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::agent::Agent;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-init-01", "an agent that answers `initialize` late", late).fresh(),
    case!("v1-init-06", "an agent that answers with the version 9", unknown_version).fresh(),
    case!("v1-init-17", "an `agentInfo` that is not an object", odd_info).fresh().survives(),
    case!("v1-cap-02", "an agent that names no capability", no_capabilities).fresh().survives(),
    case!("v1-cap-03", "agents with some of the capabilities", mixes).fresh().survives(),
    case!("v1-cap-04", "capabilities that are `null`", null_markers).fresh().survives(),
    case!("v1-cap-05", "malformed capabilities", malformed_markers).fresh().survives(),
    case!("v1-auth-17", "a login in a terminal whose `env` is a list", odd_env).fresh().survives(),
];

/// Calls that need a capability.
const GATED: &[&str] =
    &["session/load", "session/resume", "session/list", "session/delete", "session/close", "logout"];

/// Lets the client work with an agent that offers everything, as far as it comes by itself.
pub(in crate::check::client_side) async fn takes(t: &mut Stage, agent: Agent, of: &str) -> Step {
    t.agent = agent;
    t.ready().await?;
    t.goes_on(of).await
}

/// Lets the client work with an agent that does not.
pub(in crate::check::client_side) async fn works(t: &mut Stage, agent: Agent, of: &str) -> Step {
    t.agent = agent;
    t.ready_with_less().await?;
    t.goes_on(of).await
}

async fn late(t: &mut Stage) -> Step {
    let held = std::mem::replace(&mut t.agent.held, &["initialize", "session/prompt"]);
    let initialize = t.until(&["initialize"]).await?;
    let mut early = t.fence().await?;
    early.extend(t.fence().await?);
    let calls = |message: &&crate::peer::Message| {
        message.method().is_some_and(|method| !method.starts_with("$/") && !method.starts_with('_'))
    };
    if let Some(call) = early.iter().find(calls) {
        let method = call.method().unwrap_or_default();
        return Err(Stop::Fail(format!("the client calls `{method}` before `initialize` is answered")));
    }
    t.agent.held = held;
    for line in t.agent.answer(&initialize) {
        t.peer().await?.send(&line).await?;
    }
    t.ready().await
}

pub(in crate::check::client_side) async fn unknown_version(t: &mut Stage) -> Step {
    // A result in the form of version 1 could be meant as one.
    let info = json!({"name": "acp-check", "version": "9"});
    t.agent.initialize = json!({"protocolVersion": 9, "info": info, "capabilities": {"session": {}}});
    t.until(&["initialize"]).await?;
    match t.until(&["session/new", "session/load", "session/resume", "session/prompt"]).await {
        // It is closed, as it should be.
        Err(Stop::Gone(_)) => Ok(()),
        Ok(call) => {
            let method = call.method().unwrap_or_default();
            Err(Stop::Fail(format!("the client calls `{method}` in a version that nobody has")))
        }
        Err(stop) => Err(stop),
    }
}

async fn odd_info(t: &mut Stage) -> Step {
    let agent = t.agent.clone().answers("agentInfo", 5.into());
    takes(t, agent, "a number as `agentInfo`").await
}

async fn no_capabilities(t: &mut Stage) -> Step {
    for result in [json!({"protocolVersion": 1, "agentCapabilities": {}}), json!({"protocolVersion": 1})] {
        let mut agent = Agent::plain(t.options.version, &t.options.cwd);
        agent.initialize = result;
        works(t, agent, "an agent without capabilities").await?;
        t.disconnect().await;
    }
    Ok(())
}

async fn mixes(t: &mut Stage) -> Step {
    for capabilities in [
        json!({"loadSession": true}),
        json!({"promptCapabilities": {"image": true}, "sessionCapabilities": {"close": {}}}),
        json!({"mcpCapabilities": {"sse": true}, "sessionCapabilities": {"list": {}, "resume": {}}}),
    ] {
        let of = format!("an agent with the capabilities {capabilities}");
        let agent =
            Agent::plain(t.options.version, &t.options.cwd).answers("agentCapabilities", capabilities);
        works(t, agent, &of).await?;
        t.disconnect().await;
    }
    Ok(())
}

/// Checks that the client has not used what it was not offered.
fn used(t: &Stage) -> Step {
    let lines = t.lines().iter().filter_map(crate::peer::Line::json);
    let methods: Vec<String> =
        lines.filter_map(|json| Some(json.get("method")?.as_str()?.to_owned())).collect();
    match methods.iter().find(|method| GATED.contains(&method.as_str())) {
        Some(method) => Err(Stop::Fail(format!("the client calls `{method}`, which was not offered"))),
        None => Ok(()),
    }
}

async fn null_markers(t: &mut Stage) -> Step {
    let none = Value::Null;
    let session = json!({
        "list": none, "resume": none, "close": none, "delete": none, "additionalDirectories": none,
    });
    let agent = Agent::plain(t.options.version, &t.options.cwd)
        .capability("sessionCapabilities", session)
        .capability("auth", json!({"logout": none}))
        .capability("promptCapabilities", none.clone())
        .capability("mcpCapabilities", none);
    works(t, agent, "capabilities that are `null`").await?;
    used(t)
}

async fn malformed_markers(t: &mut Stage) -> Step {
    let session =
        json!({"list": true, "resume": "yes", "close": 1, "delete": [], "additionalDirectories": 5});
    let agent = Agent::plain(t.options.version, &t.options.cwd)
        .capability("sessionCapabilities", session)
        .capability("loadSession", "yes".into())
        .capability("promptCapabilities", 5.into())
        .capability("mcpCapabilities", json!([]));
    works(t, agent, "malformed capabilities").await?;
    used(t)
}

async fn odd_env(t: &mut Stage) -> Step {
    let env = json!([{"name": "A", "value": "b"}]);
    let odd = json!({"id": "acp-check-term", "name": "Terminal", "type": "terminal", "env": env});
    let agent = t.agent.clone().answers("authMethods", json!([odd]));
    takes(t, agent, "a login whose `env` is a list").await
}
