//! Modes of a session, and the config option that stands for them.

use serde_json::{Value, json};

use super::settings::values;
use crate::check::case::{Case, case};
use crate::check::subject::{Step, Subject, update_of};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(super) const CASES: &[Case<Tester>] =
    &[case!("v1-mode-05", "a mode is set by `session/set_mode`, and by its config option", in_step)];

/// The modes of the shared session, and the config option that stands for them.
struct Modes {
    session: String,
    option: String,
    current: Value,
    other: Value,
    /// Another option with its value.
    unlike: Option<(Value, Value)>,
}

impl Modes {
    /// Finds an option of the category `mode` whose values are modes. An agent may call them
    /// differently, and then nobody can tell.
    fn of(session: String, opened: &Value) -> Step<Self> {
        let none =
            || Stop::NotApplicable("no config option has the session's modes as its values".to_owned());
        let list = |pointer| opened.pointer(pointer).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let modes: Vec<&Value> =
            list("/modes/availableModes").iter().filter_map(|mode| mode.get("id")).collect();
        let current = opened.pointer("/modes/currentModeId").ok_or_else(none)?;
        let options = list("/configOptions");
        let stands = |option: &&Value| {
            let values = values(option);
            option.get("category").is_some_and(|category| category == "mode")
                && modes.iter().all(|mode| values.contains(mode))
        };
        let option = options.iter().find(stands).ok_or_else(none)?;
        let other = modes.iter().find(|mode| **mode != current).ok_or_else(none)?;
        let id = option.get("id").and_then(Value::as_str).ok_or_else(none)?;
        if option.get("currentValue") != Some(current) {
            return Err(Stop::Fail(format!(
                "the session opens in the mode {current}, and `{id}` has another value"
            )));
        }
        let unlike = options.iter().find(|unlike| unlike.get("id").is_some_and(|other| other != id));
        let unlike =
            unlike.and_then(|unlike| Some((unlike.get("id")?.clone(), unlike.get("currentValue")?.clone())));
        let (current, other) = (current.clone(), (*other).clone());
        Ok(Self { session, option: id.to_owned(), current, other, unlike })
    }

    /// Returns true if an update of the options has a value of this one.
    fn has(&self, options: &Value, value: &Value) -> bool {
        let listed = options.get("configOptions").and_then(Value::as_array);
        let ours = |option: &&Value| option.get("id").is_some_and(|id| id == self.option.as_str());
        let option = listed.and_then(|listed| listed.iter().find(ours));
        option.is_some_and(|option| option.get("currentValue") == Some(value))
    }

    /// Returns true if a message says that the option has this value.
    fn tells_option(&self, message: &Message, value: &Value) -> bool {
        let update = update_of(message, &self.session);
        update.is_some_and(|update| is(update, "config_option_update") && self.has(update, value))
    }

    /// Returns true if a message says that this is the mode.
    fn tells_mode(&self, message: &Message, value: &Value) -> bool {
        let update = update_of(message, &self.session);
        update.is_some_and(|update| {
            is(update, "current_mode_update") && update.get("currentModeId") == Some(value)
        })
    }
}

fn is(update: &Value, tag: &str) -> bool {
    update.get("sessionUpdate").is_some_and(|seen| seen == tag)
}

async fn in_step(t: &mut Tester) -> Step {
    let (session, opened) = t.opened().await?;
    let modes = Modes::of(session, &opened)?;
    option_follows(t, &modes).await?;
    let params = json!({"sessionId": modes.session, "configId": modes.option, "value": modes.current});
    let reply = t.call("session/set_config_option", params).await?;
    if reply.message.result().is_none() {
        let reason = "the agent refuses a mode as the value of its option";
        return Err(Stop::NotApplicable(reason.to_owned()));
    }
    let tells = |message: &Message| modes.tells_mode(message, &modes.current);
    if reply.before.iter().any(tells) {
        return Ok(());
    }
    told(t, tells, "a `current_mode_update` with the value that the option was set to").await
}

/// Sets the other mode, and checks that the option has its value then.
async fn option_follows(t: &mut Tester, modes: &Modes) -> Step {
    let params = json!({"sessionId": modes.session, "modeId": modes.other});
    let reply = t.call("session/set_mode", params).await?;
    if reply.message.result().is_none() {
        return Err(Stop::NotApplicable("the agent refuses the other mode".to_owned()));
    }
    let tells = |message: &Message| modes.tells_option(message, &modes.other);
    if reply.before.iter().any(tells) {
        return Ok(());
    }
    if let Some((id, value)) = &modes.unlike {
        // The answer has all options, so that an agent need not tell before.
        let params = json!({"sessionId": modes.session, "configId": id, "value": value});
        let reply = t.call("session/set_config_option", params).await?;
        let listed = reply.message.result().is_some_and(|result| modes.has(result, &modes.other));
        if listed || reply.before.iter().any(tells) {
            return Ok(());
        }
    }
    told(t, tells, "a `config_option_update` with the mode that was set").await
}

/// Waits for a message.
async fn told(t: &mut Tester, tells: impl Fn(&Message) -> bool, expected: &str) -> Step {
    while !tells(&t.next(expected).await?) {}
    Ok(())
}
