//! `initialize`, capabilities and logins.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::agent::Agent;
use crate::check::client_side::cases::initialize::{unknown_version, works};
use crate::check::client_side::cases::logins;
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v2-init-04", "an agent that answers with the version 9", unknown_version).fresh(),
    case!("v2-cap-01", "malformed capabilities, and some that are `null`", odd_markers).fresh().survives(),
    case!("v2-auth-03", "logins without a type, of an unknown type, and without a name", odd_methods)
        .fresh()
        .survives(),
    case!("v2-auth-04", "an agent with logins in a terminal only", logins::terminal_only).fresh(),
    case!("v2-auth-06", "a login in a terminal succeeds", succeeded).fresh(),
];

/// The client must take a malformed marker for none. A rule over all lines looks at what it uses.
async fn odd_markers(t: &mut Stage) -> Step {
    for session in [
        json!({"prompt": {"image": true, "audio": 5, "embeddedContext": "yes"},
            "mcp": {"stdio": true, "http": []}, "delete": true, "additionalDirectories": 1}),
        json!({"prompt": null, "mcp": null, "delete": null, "additionalDirectories": null}),
        json!({"prompt": true, "mcp": 5, "delete": "yes", "additionalDirectories": []}),
    ] {
        let of = format!("an agent with the capabilities {session}");
        let agent = Agent::plain(t.options.version, &t.options.cwd).capability("session", session);
        works(t, agent, &of).await?;
        t.disconnect().await;
    }
    Ok(())
}

/// A login that has no type is not a login, and one of an unknown type is of no use.
async fn odd_methods(t: &mut Stage) -> Step {
    let untyped = json!({"methodId": "acp-check-untyped", "name": "Untyped"});
    let custom = json!({"type": "_acp_check", "methodId": "acp-check-custom", "name": "Custom"});
    let nameless = json!({"type": "agent", "methodId": "acp-check-nameless"});
    let agent = t.agent.clone().answers("authMethods", json!([untyped, 5, nameless, custom]));
    works(t, agent, "logins that are malformed").await?;
    t.disconnect().await;
    let good = json!({"type": "agent", "methodId": "acp-check-login", "name": "Log in"});
    t.agent = t.agent.clone().answers("authMethods", json!([untyped, nameless, custom, good]));
    t.agent.locked = true;
    t.reach(Point::Initialized).await?;
    let Some(call) = logins::authenticate(t).await? else { return Ok(()) };
    match call.params().get("methodId").and_then(Value::as_str) {
        Some("acp-check-untyped") => {
            Err(Stop::Fail("the client logs in by an entry that has no type".to_owned()))
        }
        _ => Ok(()),
    }
}

/// The client must connect again, and then do again what was refused.
async fn succeeded(t: &mut Stage) -> Step {
    logins::succeeded(t).await?;
    match t.until(&["session/new", "session/resume"]).await {
        Ok(_) => Ok(()),
        Err(Stop::Silent(reason) | Stop::Gone(reason)) => {
            Err(Stop::Fail(format!("the client does not open its session again after a login: {reason}")))
        }
        Err(stop) => Err(stop),
    }
}
