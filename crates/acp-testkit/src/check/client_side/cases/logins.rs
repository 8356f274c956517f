//! Logins that the agent asks for.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::client_side::start::running::AgentStart;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;
use crate::check::version::Version;
use crate::peer::Message;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-auth-02", "a malformed login in a terminal beside one without a type", malformed).fresh(),
    case!("v1-auth-04", "an agent with logins in a terminal only", terminal_only).fresh(),
    case!("v1-auth-07", "a login in a terminal is started", started).fresh(),
    case!("v1-auth-09", "a login in a terminal fails", failed).fresh(),
    case!("v1-auth-10", "a login in a terminal succeeds", succeeded).fresh(),
];

/// A word that a login adds to the agent's command.
const WORD: &str = "--acp-check-login";

/// The id of a login in a terminal.
const TERMINAL: &str = "acp-check-term";

/// An entry for a login in a terminal.
fn terminal(version: Version, args: &Value) -> Value {
    let entry = json!({"name": "Terminal", "type": "terminal", "args": args});
    match version {
        Version::V1 => with(with(entry, "id", TERMINAL.into()), "env", json!({"ACP_CHECK_LOGIN": "yes"})),
        #[cfg(feature = "v2")]
        Version::V2 => {
            let env = json!([{"name": "ACP_CHECK_LOGIN", "value": "yes"}]);
            with(with(entry, "methodId", TERMINAL.into()), "env", env)
        }
    }
}

pub(in crate::check::client_side) async fn authenticate(t: &mut Stage) -> Step<Option<Message>> {
    match t.until(&["authenticate", "auth/login"]).await {
        Ok(call) => Ok(Some(call)),
        Err(Stop::Gone(_) | Stop::Silent(_)) => Ok(None),
        Err(stop) => Err(stop),
    }
}

async fn malformed(t: &mut Stage) -> Step {
    let bad = terminal(t.options.version, &json!(5));
    t.agent = t.agent.clone().answers("authMethods", json!([bad, {"id": "acp-check-key", "name": "Key"}]));
    t.agent.locked = true;
    t.reach(Point::Initialized).await?;
    let Some(call) = authenticate(t).await? else {
        return Err(Stop::NotApplicable("the client does not log in by itself".to_owned()));
    };
    if call.params().get("methodId").is_some_and(|id| id == TERMINAL) {
        return Err(Stop::Fail("the client logs in by an entry that is malformed".to_owned()));
    }
    Ok(())
}

pub(in crate::check::client_side) async fn terminal_only(t: &mut Stage) -> Step {
    let entry = terminal(t.options.version, &json!([WORD]));
    t.agent = t.agent.clone().answers("authMethods", json!([entry]));
    t.agent.locked = true;
    t.reach(Point::Initialized).await?;
    match authenticate(t).await? {
        Some(_) => Err(Stop::Fail("the client passes a login in a terminal to the agent".to_owned())),
        None => Ok(()),
    }
}

/// Waits until the client has started a login in a terminal.
async fn login(t: &mut Stage) -> Step<AgentStart> {
    t.needs("auth.terminal").await?;
    t.disconnect().await;
    let entry = terminal(t.options.version, &json!([WORD]));
    t.agent = t.agent.clone().answers("authMethods", json!([entry]));
    t.agent.locked = true;
    t.reach(Point::Initialized).await?;
    // A client that logs in by itself does so when a session is refused.
    t.until(&["session/new", "session/load", "session/resume"]).await?;
    match t.agent_start().await {
        Ok(start) => Ok(start),
        Err(Stop::Gone(_) | Stop::Silent(_)) => {
            Err(Stop::Inconclusive("the client has not started the login by itself".to_owned()))
        }
        Err(stop) => Err(stop),
    }
}

async fn exits(start: &mut AgentStart, code: u8) -> Step {
    start.peer.raw(format!("{code}\n")).await?;
    start.peer.close().await;
    Ok(())
}

async fn started(t: &mut Stage) -> Step {
    let mut start = login(t).await?;
    let (words, variable) = (start.words.clone(), start.variable.clone());
    exits(&mut start, 1).await?;
    if words != [WORD] {
        return Err(Stop::Fail(format!("expected the added words {WORD:?}, seen {words:?}")));
    }
    if variable.as_deref() != Some("yes") {
        return Err(Stop::Fail("the login has not got the environment of its entry".to_owned()));
    }
    Ok(())
}

async fn failed(t: &mut Stage) -> Step {
    let mut start = login(t).await?;
    exits(&mut start, 1).await?;
    match t.agent_start().await {
        Ok(start) if start.words.is_empty() => {
            Err(Stop::Fail("the client connects again after a login that has failed".to_owned()))
        }
        // It tries the login again, or gives up.
        Ok(_) | Err(Stop::Gone(_) | Stop::Silent(_)) => Ok(()),
        Err(stop) => Err(stop),
    }
}

pub(in crate::check::client_side) async fn succeeded(t: &mut Stage) -> Step {
    let mut start = login(t).await?;
    exits(&mut start, 0).await?;
    let again = t.agent_start().await.map_err(|stop| match stop {
        Stop::Gone(reason) | Stop::Silent(reason) => {
            Stop::Fail(format!("the client does not connect again after a login: {reason}"))
        }
        stop => stop,
    })?;
    if !again.words.is_empty() {
        return Err(Stop::Fail("the client starts a login again after it has succeeded".to_owned()));
    }
    t.set_aside();
    t.agent.locked = false;
    t.go_on_with(again);
    t.until(&["initialize"]).await.map(drop)
}
