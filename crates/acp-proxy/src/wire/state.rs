//! The states of a session's foreground, and the lines of a turn, as version 2 has them.

use serde_json::{Value, json};

use super::member::{member, text};
use super::message::Answer;

/// The notification that carries states and all other updates.
pub(crate) const UPDATE: &str = "session/update";

/// A `state_update` of the agent.
pub(crate) struct State<'a> {
    pub(crate) is_idle: bool,
    /// The work that goes on in the background, as JSON text.
    pub(crate) background: Option<&'a str>,
}

impl<'a> State<'a> {
    /// Reads the params of an update, if it is a state.
    pub(crate) fn of(params: &'a str) -> Option<Self> {
        let update = member(params, "update")?;
        if text(update, "sessionUpdate")? != "state_update" {
            return None;
        }
        let is_idle = text(update, "state")? == "idle";
        let background = member(update, "background").filter(|background| *background != "null");
        Some(Self { is_idle, background })
    }
}

/// Returns an idle state as one that goes on. Its reason is not the end of all work.
pub(crate) fn still_running(params: &str) -> Option<String> {
    let mut params: Value = serde_json::from_str(params).ok()?;
    let update = params.get_mut("update")?.as_object_mut()?;
    for ended in ["stopReason", "error", "usage"] {
        update.remove(ended);
    }
    update.insert("state".to_owned(), json!("running"));
    Some(params.to_string())
}

/// Returns the answer to a prompt whose message is inserted.
pub(crate) fn inserted(message: &str) -> String {
    json!({"messageId": message}).to_string()
}

/// Returns the user's message as the client gets it back. The prompt is JSON text.
pub(crate) fn echo(session: &str, message: &str, prompt: &str) -> String {
    let head = json!({"sessionUpdate": "user_message", "messageId": message}).to_string();
    let head = head.trim_end_matches('}');
    update(session, &format!(r#"{head},"content":{prompt}}}"#))
}

/// Returns the state of work that begins.
pub(crate) fn running(session: &str, background: Option<&str>) -> String {
    state(session, "running", "", background)
}

/// Returns the state at the end of a turn, with the outcome of its handler.
pub(crate) fn idle(
    session: &str,
    outcome: Answer<'_>,
    was_cancelled: bool,
    background: Option<&str>,
) -> String {
    let mut end = String::new();
    match outcome {
        Answer::Error(_) if was_cancelled => end.push_str(r#","stopReason":"cancelled""#),
        Answer::Error(error) => {
            end.push_str(r#","stopReason":"error","error":"#);
            end.push_str(error);
        }
        Answer::Result(result) => {
            for name in ["stopReason", "usage", "_meta"] {
                if let Some(value) = member(result, name) {
                    end.push_str(&format!(r#","{name}":{value}"#));
                }
            }
        }
    }
    state(session, "idle", &end, background)
}

fn state(session: &str, state: &str, more: &str, background: Option<&str>) -> String {
    let background = background.map(|work| format!(r#","background":{work}"#)).unwrap_or_default();
    update(session, &format!(r#"{{"sessionUpdate":"state_update","state":"{state}"{more}{background}}}"#))
}

fn update(session: &str, update: &str) -> String {
    format!(r#"{{"sessionId":{},"update":{update}}}"#, Value::from(session))
}
