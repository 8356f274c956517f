//! Config options of a session.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-cfg-02", "`session/set_config_option` without a `type`", without_type),
    case!("v2-cfg-03", "an unknown option, an unknown value, a listed value", values),
    case!("v2-cfg-05", "`session/set_mode`", set_mode),
];

const METHOD: &str = "session/set_config_option";

/// A select option of the shared session: its id, its value, and another of its values.
pub(super) struct Select {
    session: String,
    id: String,
    pub(super) value: Value,
    other: Value,
}

pub(super) async fn select(t: &mut Tester) -> Step<Select> {
    let (session, opened) = t.opened().await?;
    let options = opened.get("configOptions").and_then(Value::as_array).into_iter().flatten();
    for option in options.filter(|option| option["type"] == "select") {
        let (Some(id), value) = (option["configId"].as_str(), &option["currentValue"]) else { continue };
        let values = select_values(option);
        let other = values.into_iter().find(|other| *other != value).unwrap_or(value).clone();
        return Ok(Select { session, id: id.to_owned(), value: value.clone(), other });
    }
    Err(Stop::NotApplicable("the session has no select option".to_owned()))
}

/// Returns the values of a select option, those of groups as well.
pub(in crate::check::v2) fn select_values(option: &Value) -> Vec<&Value> {
    let listed = option["options"].as_array().into_iter().flatten();
    let values = listed.flat_map(|entry| match entry["options"].as_array() {
        Some(group) => group.iter().collect(),
        None => vec![entry],
    });
    values.map(|entry| &entry["value"]).collect()
}

impl Select {
    pub(super) fn set(&self, value: &Value) -> Value {
        json!({"sessionId": self.session, "configId": self.id, "type": "id", "value": value})
    }

    /// Sets a value, and checks that the result lists the option with it.
    async fn sets(&self, t: &mut Tester, value: &Value) -> Step {
        let reply = t.call(METHOD, self.set(value)).await?;
        let result = reply.result("`session/set_config_option` with a listed value")?;
        let mut listed = result["configOptions"].as_array().into_iter().flatten();
        match listed.find(|option| option["configId"] == self.id.as_str()) {
            Some(option) if option["currentValue"] == *value => Ok(()),
            _ => Err(Stop::Fail(format!("the result does not list `{}` with {value}", self.id))),
        }
    }
}

async fn without_type(t: &mut Tester) -> Step {
    let select = select(t).await?;
    let params = json!({"sessionId": select.session, "configId": select.id, "value": select.value});
    t.call(METHOD, params).await?.refused(&[-32602], "a value without a `type`")
}

async fn values(t: &mut Tester) -> Step {
    let select = select(t).await?;
    let params = with(select.set(&select.value), "configId", json!("acp-check-none"));
    t.call(METHOD, params).await?.refused(&[-32602], "an unknown option")?;
    let params = select.set(&json!("acp-check-none"));
    t.call(METHOD, params).await?.refused(&[-32602], "an unknown value")?;
    select.sets(t, &select.other).await?;
    select.sets(t, &select.value).await
}

async fn set_mode(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let reply = t.call("session/set_mode", json!({"sessionId": session, "modeId": "acp-check"})).await?;
    reply.refused(&[-32601], "`session/set_mode`")
}
