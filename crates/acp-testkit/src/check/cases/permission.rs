//! Permission requests of a turn.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::{self, Permission};
use crate::check::either;
use crate::check::never::{NO_PERMISSION_PROMPT, Never};
use crate::check::subject::{Step, Subject, update_of};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-rpc-09", "a request with the id of the agent's open request", equal_ids),
    case!("v1-perm-08", "a permission request that is answered `cancelled`", no_consent),
    case!("v1-turn-09", "a permission request that is allowed", reported),
    case!(
        "v1-creq-09",
        "a turn is cancelled, its permission request answered with an error",
        answered_by_error
    ),
    case!("v1-creq-08", "`$/cancel_request` for a prompt that has a permission request", spreads).fresh(),
];

fn prompt(t: &Tester) -> Step<String> {
    let prompt = t.options.permission_prompt.clone();
    prompt.ok_or_else(|| t.options.without(Never::Permission, NO_PERMISSION_PROMPT))
}

/// Runs a turn with this answer. Returns the permission request and the messages behind it.
async fn ask(t: &mut Tester, answer: Permission) -> Step<(String, Message, Vec<Message>)> {
    let prompt = prompt(t)?;
    let session = t.new_session().await?;
    t.permission = answer;
    let id = t.start(&session, &prompt).await?;
    let reply = t.finish(&id).await;
    t.permission = Permission::Allow;
    let mut before = reply?.before;
    let asks = |message: &Message| message.method() == Some("session/request_permission");
    let Some(at) = before.iter().position(asks) else {
        return Err(Stop::Inconclusive("the agent has not asked for permission".to_owned()));
    };
    let behind = before.split_off(at + 1);
    match before.pop() {
        Some(request) => Ok((session, request, behind)),
        None => Err(Stop::Inconclusive("the agent has not asked for permission".to_owned())),
    }
}

/// Returns the statuses that a tool call takes.
fn statuses<'a>(session: &str, request: &'a Message, behind: &'a [Message]) -> Vec<&'a str> {
    let call = request.params().pointer("/toolCall/toolCallId");
    let updates = behind.iter().filter_map(|message| update_of(message, session));
    let of_call = updates.filter(|update| call.is_some() && update.get("toolCallId") == call);
    of_call.filter_map(|update| update.get("status")?.as_str()).collect()
}

async fn no_consent(t: &mut Tester) -> Step {
    let (session, request, behind) = ask(t, Permission::Cancelled).await?;
    let ran = statuses(&session, &request, &behind);
    if ran.iter().any(|status| matches!(*status, "in_progress" | "completed")) {
        return Err(Stop::Fail("the tool has run without consent".to_owned()));
    }
    let acts = ["terminal/create", "fs/write_text_file"];
    if let Some(act) = behind.iter().filter_map(Message::method).find(|method| acts.contains(method)) {
        return Err(Stop::Fail(format!("the agent calls `{act}` without consent")));
    }
    Ok(())
}

async fn reported(t: &mut Tester) -> Step {
    let (session, request, behind) = ask(t, Permission::Allow).await?;
    match statuses(&session, &request, &behind).as_slice() {
        [] => Err(Stop::Fail("the allowed tool call is not reported as it runs".to_owned())),
        statuses if statuses.contains(&"in_progress") => Ok(()),
        _ => Err(Stop::Fail("the allowed tool call is never `in_progress`".to_owned())),
    }
}

/// Waits for a permission request.
async fn asked(t: &mut Tester) -> Step<Message> {
    loop {
        let message = t.wait("a permission request").await?;
        if message.method() == Some("session/request_permission") {
            return Ok(message);
        }
        if message.is_answer() {
            return Err(Stop::Inconclusive("the agent has not asked for permission".to_owned()));
        }
    }
}

async fn equal_ids(t: &mut Tester) -> Step {
    let prompt = prompt(t)?;
    let session = t.new_session().await?;
    t.permission = Permission::Held;
    let turn = t.start(&session, &prompt).await?;
    let question = asked(t).await?;
    let id = question.id().cloned().unwrap_or_default();
    // If the prompt has that id, the answer to the question shows enough.
    if id != turn {
        either::request(t, &id, json!({})).await?;
        t.reply(&id).await?;
    }
    t.permission = Permission::Allow;
    let answer = client::answer(&question, Permission::Allow).unwrap_or_default();
    t.raw(&answer.to_string()).await?;
    t.finish(&turn).await.map(drop)
}

async fn spreads(t: &mut Tester) -> Step {
    let prompt = prompt(t)?;
    let session = t.new_session().await?;
    t.permission = Permission::Held;
    let turn = t.start(&session, &prompt).await?;
    let request = asked(t).await?;
    t.notify("$/cancel_request", json!({"requestId": turn})).await?;
    let mut seen = t.fence().await?;
    seen.extend(t.fence().await?);
    let withdraws = |message: &Message| {
        message.method() == Some("$/cancel_request") && message.params().get("requestId") == request.id()
    };
    let ends = |message: &Message| message.is_answer() && message.id() == Some(&turn);
    if seen.iter().any(withdraws) {
        Ok(())
    } else if seen.iter().any(ends) {
        Err(Stop::Fail("the cancelled prompt has ended, and its permission request is still open".to_owned()))
    } else {
        Err(Stop::NotApplicable("the agent does not serve `$/cancel_request` for prompts".to_owned()))
    }
}

async fn answered_by_error(t: &mut Tester) -> Step {
    let prompt = prompt(t)?;
    let session = t.new_session().await?;
    t.permission = Permission::Held;
    let turn = t.start(&session, &prompt).await?;
    let request = asked(t).await?;
    t.permission = Permission::Allow;
    t.notify("session/cancel", json!({"sessionId": session})).await?;
    let error = json!({"code": -32800, "message": "the request was cancelled"});
    let id = request.id().unwrap_or(&Value::Null);
    t.raw(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()).await?;
    let reply = t.finish(&turn).await?;
    match reply.stop_reason() {
        Some("cancelled") => Ok(()),
        Some(seen) => Err(Stop::Fail(format!("expected the stop reason `cancelled`, seen `{seen}`"))),
        None => Err(Stop::Fail("the cancelled turn ends with an error".to_owned())),
    }
}
