//! The turns of version 2 on the wire: a state ends them, not the answer to the prompt.

use anyhow::ensure;
use serde_json::Value;

use super::seen::kind;
use super::wire::{Message, Side, Wire};

/// The parts of a conversation. They belong to a turn, or to a replay.
const CONVERSATION: [&str; 9] = [
    "agent_message_chunk",
    "agent_message",
    "agent_thought_chunk",
    "agent_thought",
    "plan_update",
    "terminal_update",
    "terminal_output_chunk",
    "tool_call_content_chunk",
    "tool_call_update",
];

impl Wire {
    /// The updates from the n-th prompt to the change to idle that ends its turn, which is the last
    /// of them.
    pub(super) fn updates_v2(&self, turn: usize) -> Vec<&Value> {
        let Some(prompt) = self.calls("session/prompt").nth(turn) else { return Vec::new() };
        let after = self.messages.iter().skip_while(|message| !std::ptr::eq(*message, prompt));
        let (mut updates, mut is_active) = (Vec::new(), false);
        for update in after.filter_map(update) {
            updates.push(update);
            match state(update) {
                Some("idle") if is_active => break,
                Some("idle") | None => {}
                Some(_) => is_active = true,
            }
        }
        updates
    }

    /// The reasons that the ends of the turns name.
    pub(super) fn stops_v2(&self) -> Vec<&str> {
        let turns = self.calls("session/prompt").count();
        let ends = (0..turns).filter_map(|turn| self.updates_v2(turn).last().copied());
        ends.map(|end| end.get("stopReason").and_then(Value::as_str).unwrap_or("(none)")).collect()
    }

    /// A prompt is answered by the id of its message, and that message is shown. Parts of the
    /// conversation come in a turn or in a replay, and after each resumption the state is told.
    pub(super) fn check_updates_v2(&self) -> anyhow::Result<()> {
        let (mut is_active, mut resuming, mut is_told) = (false, None, false);
        for message in &self.messages {
            if let Some(update) = update(message) {
                is_told |= state(update).is_some();
                is_active = state(update).map_or(is_active, |state| state != "idle");
                let allowed = is_active || resuming.is_some() || !CONVERSATION.contains(&kind(update));
                ensure!(allowed, "an update outside of a turn: {}", message.json);
            } else if message.method() == Some("session/resume") {
                (resuming, is_told) = (message.json.get("id"), false);
            } else if resuming.is_some()
                && message.from == Side::Agent
                && message.method().is_none()
                && message.json.get("id") == resuming
            {
                let is_error = message.json.get("error").is_some();
                ensure!(is_told || is_error, "a session was resumed without its state: {}", message.json);
                resuming = None;
            }
        }
        for result in self.results("session/prompt") {
            let id = result.get("messageId");
            let is_shown = |update: &Value| {
                kind(update).starts_with("user_message") && id.is_some() && update.get("messageId") == id
            };
            let shown = self.messages.iter().filter_map(update).any(is_shown);
            ensure!(shown, "the message of a prompt was never shown: {result}");
        }
        Ok(())
    }
}

fn update(message: &Message) -> Option<&Value> {
    message.json.pointer("/params/update").filter(|_| message.method() == Some("session/update"))
}

/// The state that an update tells, if it tells one.
fn state(update: &Value) -> Option<&str> {
    update.get("state").and_then(Value::as_str).filter(|_| kind(update) == "state_update")
}
