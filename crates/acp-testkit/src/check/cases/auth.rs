//! Login and logout, for agents whose method the options name.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-auth-01", "the list of login methods", listed),
    case!("v1-auth-05", "`authenticate`, then a session", login).fresh(),
    case!("v1-auth-14", "`logout` after a login", logout).fresh(),
];

async fn listed(t: &mut Tester) -> Step {
    match t.initialize_result().await?.get("authMethods") {
        None => Err(Stop::NotApplicable("the agent lists no login methods".to_owned())),
        Some(Value::Array(methods)) => {
            let named = |method: &Value| {
                ["id", "name"].iter().all(|name| method.get(*name).is_some_and(Value::is_string))
            };
            match methods.iter().position(|method| !named(method)) {
                None => Ok(()),
                Some(at) => Err(Stop::Fail(format!("`authMethods[{at}]` has no `id` or no `name`"))),
            }
        }
        Some(_) => Err(Stop::Fail("`authMethods` is not an array".to_owned())),
    }
}

async fn authenticate(t: &mut Tester) -> Step {
    let Some(method) = t.options.login.clone() else {
        return Err(Stop::NotApplicable("no login method is named for this check".to_owned()));
    };
    t.ready().await?;
    let reply = t.call("authenticate", json!({"methodId": method})).await?;
    match reply.result("`authenticate`")? {
        Value::Object(_) | Value::Null => Ok(()),
        _ => Err(Stop::Fail("the result of `authenticate` is not an object".to_owned())),
    }
}

async fn login(t: &mut Tester) -> Step {
    authenticate(t).await?;
    let params = t.setup();
    match t.call("session/new", params).await?.message.code() {
        Some(-32000) => Err(Stop::Fail("after the login a session still wants a login".to_owned())),
        _ => Ok(()),
    }
}

async fn logout(t: &mut Tester) -> Step {
    t.needs("auth.logout").await?;
    authenticate(t).await?;
    let reply = t.call("logout", json!({})).await?;
    match reply.result("`logout`")? {
        Value::Object(_) | Value::Null => Ok(()),
        _ => Err(Stop::Fail("the result of `logout` is not an object".to_owned())),
    }
}
