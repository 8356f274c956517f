//! Commands that the client runs for the agent.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-term-01", "a command that takes long", at_once),
    case!("v1-term-03", "more output than the limit, of characters of two bytes", limit),
    case!("v1-term-04", "the output of a command that runs, and of one that has ended", status),
    case!("v1-term-06", "a command is killed, then looked at", killed),
    case!("v1-term-07", "a terminal is released, then looked at", released),
    case!("v1-term-09", "a terminal that nobody has", unknown),
    case!("v1-term-10", "a command with malformed members, and with `null`", strict),
    case!("v1-term-13", "two waiters for one command", waiters),
];

/// A command that lasts until it is killed.
const LONG: &str = "while :; do sleep 1; done";

/// Starts a shell command and returns its terminal.
async fn run(t: &mut Stage, script: &str, limit: Value) -> Step<Value> {
    t.needs("terminal").await?;
    if !cfg!(unix) {
        return Err(Stop::NotApplicable("the commands of the checker are for a Unix shell".to_owned()));
    }
    let params = json!({"command": "/bin/sh", "args": ["-c", script], "outputByteLimit": limit});
    let reply = t.ask("terminal/create", params).await.map_err(|stop| match stop {
        Stop::Silent(_) => Stop::Inconclusive("the client asks a user before it runs a command".to_owned()),
        stop => stop,
    })?;
    match reply.message.result().and_then(|result| result.get("terminalId")) {
        Some(id) => Ok(id.clone()),
        None => Err(Stop::Inconclusive("the client does not run a command of the checker".to_owned())),
    }
}

async fn of(t: &mut Stage, method: &str, terminal: &Value) -> Step<Value> {
    let reply = t.ask(method, json!({"terminalId": terminal})).await?;
    reply.result(&format!("`{method}`")).cloned()
}

async fn release(t: &mut Stage, terminal: &Value) -> Step {
    of(t, "terminal/release", terminal).await.map(drop)
}

fn has_ended(output: &Value) -> bool {
    output.get("exitStatus").is_some_and(|status| !status.is_null())
}

async fn at_once(t: &mut Stage) -> Step {
    let terminal = run(t, LONG, Value::Null).await?;
    let output = of(t, "terminal/output", &terminal).await?;
    release(t, &terminal).await?;
    if has_ended(&output) {
        return Err(Stop::Fail("the command has ended before its `terminal/create` was answered".to_owned()));
    }
    Ok(())
}

async fn limit(t: &mut Stage) -> Step {
    let whole = "\u{e9}\u{e8}\u{ea}\u{eb}\u{e0}";
    let terminal = run(t, &format!("printf '%s' '{whole}'"), 5.into()).await?;
    of(t, "terminal/wait_for_exit", &terminal).await?;
    let output = of(t, "terminal/output", &terminal).await?;
    release(t, &terminal).await?;
    let text = output.get("output").and_then(Value::as_str).unwrap_or_default();
    if text.len() > 5 || !whole.ends_with(text) {
        return Err(Stop::Fail("the output is not the end of the command's, cut at a character".to_owned()));
    }
    if output.get("truncated") == Some(&Value::Bool(true)) {
        return Ok(());
    }
    Err(Stop::Fail("the output is cut, and `truncated` is not true".to_owned()))
}

async fn status(t: &mut Stage) -> Step {
    let terminal = run(t, LONG, Value::Null).await?;
    let running = of(t, "terminal/output", &terminal).await?;
    of(t, "terminal/kill", &terminal).await?;
    of(t, "terminal/wait_for_exit", &terminal).await?;
    let ended = of(t, "terminal/output", &terminal).await?;
    release(t, &terminal).await?;
    match (has_ended(&running), has_ended(&ended)) {
        (false, true) => Ok(()),
        (true, _) => Err(Stop::Fail("a command that runs has an `exitStatus`".to_owned())),
        (_, false) => Err(Stop::Fail("a command that has ended has no `exitStatus`".to_owned())),
    }
}

async fn killed(t: &mut Stage) -> Step {
    let terminal = run(t, LONG, Value::Null).await?;
    for method in ["terminal/kill", "terminal/wait_for_exit", "terminal/output", "terminal/release"] {
        of(t, method, &terminal).await?;
    }
    Ok(())
}

async fn released(t: &mut Stage) -> Step {
    let terminal = run(t, LONG, Value::Null).await?;
    release(t, &terminal).await?;
    for method in ["terminal/output", "terminal/wait_for_exit", "terminal/kill"] {
        let reply = t.ask(method, json!({"terminalId": terminal})).await?;
        reply.fails(&format!("`{method}` of a terminal that was released"))?;
    }
    Ok(())
}

async fn unknown(t: &mut Stage) -> Step {
    t.needs("terminal").await?;
    for method in ["terminal/output", "terminal/wait_for_exit", "terminal/kill"] {
        let reply = t.ask(method, json!({"terminalId": "acp-check-none"})).await?;
        reply.refused(&[-32002], &format!("`{method}` of an unknown terminal"))?;
    }
    Ok(())
}

async fn strict(t: &mut Stage) -> Step {
    t.needs("terminal").await?;
    for (member, value) in [("args", json!([1])), ("env", json!(5)), ("outputByteLimit", json!("x"))] {
        let reply = t.ask("terminal/create", json!({"command": "/bin/sh", member: value})).await?;
        reply.refused(&[-32602], &format!("a command with a malformed `{member}`"))?;
    }
    let terminal = run(t, "exit 0", Value::Null).await?;
    release(t, &terminal).await
}

async fn waiters(t: &mut Stage) -> Step {
    let terminal = run(t, LONG, Value::Null).await?;
    let session = t.turn().await?;
    let params = json!({"sessionId": session, "terminalId": terminal});
    let first = t.peer().await?.request("terminal/wait_for_exit", params.clone()).await?;
    let second = t.peer().await?.request("terminal/wait_for_exit", params).await?;
    let output = t.ask("terminal/output", json!({"terminalId": terminal})).await?;
    output.result("`terminal/output` beside two waiters").map(drop)?;
    let kill = t.ask("terminal/kill", json!({"terminalId": terminal})).await?;
    kill.result("`terminal/kill` beside two waiters")?;
    let mut answers = output.before;
    answers.extend(kill.before);
    let of_waiter = |message: &Message, id: &Value| message.is_answer() && message.id() == Some(id);
    for id in [&first, &second] {
        while !answers.iter().any(|message| of_waiter(message, id)) {
            answers.push(t.next("the answer to a waiter").await?);
        }
    }
    let waited = |message: &&Message| [&first, &second].iter().any(|id| of_waiter(message, id));
    if answers.iter().filter(waited).any(|answer| answer.result().is_none()) {
        return Err(Stop::Fail("a waiter for a command gets an error".to_owned()));
    }
    release(t, &terminal).await
}
