//! Modes and config options of a session.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!(
        "v1-cap-25",
        "`session/set_mode` and `session/set_config_option` of a session without them",
        without_any
    ),
    case!("v1-mode-03", "each mode is set", set_modes),
    case!("v1-cfg-10", "a config option is set", set_option),
    case!("v1-cfg-11", "an unknown config option, and an unknown value", unknown_option),
    case!("v1-cfg-13", "a config option is set during a turn", set_in_a_turn),
    case!("v1-cfg-15", "a value with an unknown `type`", unknown_type),
];

async fn without_any(t: &mut Tester) -> Step {
    let (session, opened) = t.opened().await?;
    let (modes, options) = (opened.get("modes"), opened.get("configOptions"));
    if modes.is_none_or(Value::is_null) {
        let params = json!({"sessionId": session, "modeId": "acp-check"});
        return t.call("session/set_mode", params).await?.fails("`session/set_mode` without modes");
    }
    if options.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let params = json!({"sessionId": session, "configId": "acp-check", "value": "x"});
        let reply = t.call("session/set_config_option", params).await?;
        return reply.fails("`session/set_config_option` without options");
    }
    Err(Stop::NotApplicable("the session has modes and config options".to_owned()))
}

async fn set_modes(t: &mut Tester) -> Step {
    let (session, opened) = t.opened().await?;
    let modes =
        opened.pointer("/modes/availableModes").and_then(Value::as_array).cloned().unwrap_or_default();
    let current = opened.pointer("/modes/currentModeId").cloned();
    if modes.is_empty() {
        return Err(Stop::NotApplicable("the session has no modes".to_owned()));
    }
    // The present one comes last, so that nothing has changed in the end.
    let mut set = 0;
    for mode in modes.iter().filter_map(|mode| mode.get("id")).chain(&current) {
        let reply = t.call("session/set_mode", json!({"sessionId": session, "modeId": mode})).await?;
        // The agent may have its reasons to refuse a mode, but not all of them.
        set += usize::from(reply.message.result().is_some());
    }
    if set > 0 { Ok(()) } else { Err(Stop::Fail("no listed mode can be set".to_owned())) }
}

/// A select option of the shared session: its id, its value, and another of its values.
struct Select {
    session: String,
    id: String,
    value: Value,
    other: Value,
    ids: Vec<String>,
}

async fn select(t: &mut Tester) -> Step<Select> {
    let (session, opened) = t.opened().await?;
    let options = opened.get("configOptions").and_then(Value::as_array).cloned().unwrap_or_default();
    let ids = ids(&options);
    for option in &options {
        let id = option.get("id").and_then(Value::as_str);
        let (Some(id), Some(value)) = (id, option.get("currentValue").filter(|value| value.is_string()))
        else {
            continue;
        };
        let other = values(option).into_iter().find(|other| *other != value).unwrap_or(value).clone();
        return Ok(Select { session, id: id.to_owned(), value: value.clone(), other, ids });
    }
    Err(Stop::NotApplicable("the session has no select option".to_owned()))
}

/// Returns the values that a select option can have, in groups or without.
pub(super) fn values(option: &Value) -> Vec<&Value> {
    let listed = option.get("options").and_then(Value::as_array).into_iter().flatten();
    let entries = listed.flat_map(|entry| match entry.get("options").and_then(Value::as_array) {
        Some(group) => group.iter().collect(),
        None => vec![entry],
    });
    entries.filter_map(|entry| entry.get("value")).collect()
}

fn ids(options: &[Value]) -> Vec<String> {
    options.iter().filter_map(|option| option.get("id")?.as_str()).map(str::to_owned).collect()
}

impl Select {
    fn set(&self, value: &Value) -> Value {
        json!({"sessionId": self.session, "configId": self.id, "value": value})
    }

    /// Checks a result, which lists every option, this one with a value.
    fn check(&self, result: &Value, value: &Value) -> Step {
        let listed = result.get("configOptions").and_then(Value::as_array).cloned().unwrap_or_default();
        let seen = listed.iter().find(|option| option.get("id").is_some_and(|id| id == self.id.as_str()));
        match seen.and_then(|option| option.get("currentValue")) {
            Some(seen) if seen == value => {}
            _ => return Err(Stop::Fail(format!("the result does not list `{}` with {value}", self.id))),
        }
        // A change may alter the other options, but an answer that lists one option of many is not
        // the complete list.
        if listed.len() == 1 && self.ids.len() > 1 {
            return Err(Stop::Fail(format!("the result lists 1 option of {}", self.ids.len())));
        }
        Ok(())
    }
}

async fn set_option(t: &mut Tester) -> Step {
    let select = select(t).await?;
    for value in [&select.other, &select.value] {
        let reply = t.call("session/set_config_option", select.set(value)).await?;
        select.check(reply.result("`session/set_config_option` with a listed value")?, value)?;
    }
    Ok(())
}

async fn unknown_option(t: &mut Tester) -> Step {
    let select = select(t).await?;
    let params = with(select.set(&select.value), "configId", json!("acp-check-none"));
    t.call("session/set_config_option", params).await?.refused(&[-32602], "an unknown option")?;
    let params = select.set(&json!("acp-check-none"));
    t.call("session/set_config_option", params).await?.refused(&[-32602], "an unknown value")
}

async fn unknown_type(t: &mut Tester) -> Step {
    let select = select(t).await?;
    let params = with(select.set(&select.value), "type", json!("acp_check"));
    let reply = t.call("session/set_config_option", params).await?;
    reply.result("`session/set_config_option` with an unknown `type`").map(drop)
}

async fn set_in_a_turn(t: &mut Tester) -> Step {
    let select = select(t).await?;
    let endless = t.endless();
    let turn = t.start(&select.session, &endless).await?;
    t.begun(&select.session).await?;
    let set = t.call("session/set_config_option", select.set(&select.value)).await;
    t.notify("session/cancel", json!({"sessionId": select.session})).await?;
    let set = set?;
    if !set.before.iter().any(|message| message.is_answer() && message.id() == Some(&turn)) {
        t.finish(&turn).await?;
    }
    set.result("`session/set_config_option` during a turn").map(drop)
}
