//! Login and logout.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-auth-01", "`auth/login` and `auth/logout` of an agent with login methods", both).fresh(),
    case!("v2-auth-07", "requests that need a login, after a logout", gated).fresh(),
];

fn login_of(t: &Tester) -> Step<String> {
    let login = t.options.login.clone();
    login.ok_or_else(|| Stop::NotApplicable("no login method is named for this check".to_owned()))
}

async fn both(t: &mut Tester) -> Step {
    let methods = t.initialize_result().await?.get("authMethods").and_then(Value::as_array);
    if methods.is_none_or(Vec::is_empty) {
        return Err(Stop::NotApplicable("the agent lists no login methods".to_owned()));
    }
    let exists = |code, method| match code {
        Some(-32601) => {
            Err(Stop::Fail(format!("the agent lists login methods and does not have `{method}`")))
        }
        _ => Ok(()),
    };
    let reply = t.call("auth/login", json!({"methodId": "acp-check-none"})).await?;
    exists(reply.message.code(), "auth/login")?;
    // Only a login that may be made may be forgotten.
    let login = login_of(t)?;
    t.call("auth/login", json!({"methodId": login})).await?.result("`auth/login`")?;
    let reply = t.call("auth/logout", json!({})).await?;
    exists(reply.message.code(), "auth/logout")
}

/// Returns the methods that want a login.
async fn locked(t: &mut Tester) -> Step<Vec<&'static str>> {
    let mut locked = Vec::new();
    let new = t.setup();
    for (method, params) in [("session/new", new), ("session/list", json!({}))] {
        if t.call(method, params).await?.message.code() == Some(-32000) {
            locked.push(method);
        }
    }
    Ok(locked)
}

async fn gated(t: &mut Tester) -> Step {
    let login = login_of(t)?;
    t.ready().await?;
    let before = locked(t).await?;
    if before.is_empty() {
        return Err(Stop::NotApplicable("the agent wants no login".to_owned()));
    }
    t.call("auth/login", json!({"methodId": login})).await?.result("`auth/login`")?;
    t.call("auth/logout", json!({})).await?.result("`auth/logout`")?;
    let after = locked(t).await?;
    match before.iter().find(|method| !after.contains(method)) {
        Some(method) => Err(Stop::Fail(format!("`{method}` needs a login, and does not after a logout"))),
        None => Ok(()),
    }
}
