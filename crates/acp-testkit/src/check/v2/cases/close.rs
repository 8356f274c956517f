//! The list of sessions, and their end.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::never::Never;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::v2::turn::{Turn, owed};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-list-01", "`session/list`", list),
    case!("v2-list-02", "`session/list` of the folders above and below", filter),
    case!("v2-close-01", "a session is closed during a turn, and gets a prompt", frees),
    case!("v2-close-02", "a session is closed during a turn", cancels),
    case!("v2-close-04", "a session is closed while a prompt waits", waiting),
    case!("v2-close-05", "a session is closed twice, and one that never was", twice),
];

async fn sessions(t: &mut Tester, params: Value) -> Step<Vec<Value>> {
    t.ready().await?;
    let reply = t.call("session/list", params).await?;
    let sessions = reply.result("`session/list`")?["sessions"].as_array().cloned();
    sessions.ok_or_else(|| Stop::Fail("the result has no array `sessions`".to_owned()))
}

async fn list(t: &mut Tester) -> Step {
    sessions(t, json!({})).await.map(drop)
}

async fn filter(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    // Many agents list a session once it has a turn.
    Turn::plain(t, &session).await?;
    let cwd = t.options.cwd.clone();
    let above = cwd.parent().map(std::path::Path::to_path_buf);
    for folder in above.into_iter().chain([cwd.join("acp-check-nobody-has-this-folder")]) {
        let listed = sessions(t, json!({"cwd": folder})).await?;
        if listed.iter().any(|entry| entry["sessionId"] == session.as_str()) {
            let of = if folder.starts_with(&cwd) { "below" } else { "above" };
            return Err(Stop::Fail(format!("the session is listed for the folder {of} its own")));
        }
    }
    Ok(())
}

fn closing(session: &str) -> Value {
    json!({"sessionId": session})
}

async fn frees(t: &mut Tester) -> Step {
    let turn = Turn::lasting(t).await?;
    t.call("session/close", closing(&turn.session)).await?.result("`session/close`")?;
    let id = t.start(&turn.session, "hello").await?;
    t.reply(&id).await?.refused(&[-32002], "a prompt in a closed session")
}

async fn cancels(t: &mut Tester) -> Step {
    let mut turn = Turn::lasting(t).await?;
    let reply = t.call("session/close", closing(&turn.session)).await?;
    reply.result("`session/close`")?;
    for message in reply.before {
        turn.add(message)?;
    }
    match turn.stop_reason() {
        Some("cancelled") => Ok(()),
        Some(_) if t.options.endless_prompt.is_none() => {
            Err(t.options.without(Never::Endless, "the turn may have ended before the session was closed"))
        }
        Some(seen) => Err(Stop::Fail(format!("expected the stop reason `cancelled`, seen `{seen}`"))),
        None => Err(Stop::Fail("the running turn does not become idle before the answer".to_owned())),
    }
}

async fn waiting(t: &mut Tester) -> Step {
    let turn = Turn::lasting(t).await?;
    let prompt = t.options.prompt.clone();
    let second = t.start(&turn.session, &prompt).await?;
    let close = t.request("session/close", closing(&turn.session)).await?;
    let reply = owed(t.reply(&second).await)?;
    let is_closed = |message: &crate::peer::Message| message.is_answer() && message.id() == Some(&close);
    let closed = reply.before.iter().any(is_closed);
    if !closed {
        t.reply(&close).await?;
    }
    match reply.message.code() {
        None if reply.message.pointer("/result/messageId").is_some_and(Value::is_string) => Ok(()),
        None => Err(Stop::Fail("the prompt that waited is answered without a `messageId`".to_owned())),
        Some(-32800) => Ok(()),
        Some(-32600) => Err(Stop::NotApplicable("the agent takes no prompt while a turn runs".to_owned())),
        Some(code) => Err(Stop::Fail(format!(
            "the prompt that waited: expected a result or the error -32800, seen the error {code}"
        ))),
    }
}

async fn twice(t: &mut Tester) -> Step {
    let session = t.new_session().await?;
    for (session, of) in [
        (session.as_str(), "`session/close`"),
        (session.as_str(), "`session/close` of a closed session"),
        ("acp-check-none", "`session/close` of an unknown session"),
    ] {
        t.call("session/close", closing(session)).await?.result(of)?;
    }
    Ok(())
}
